"""From estimates to sentences and figures: what every study tells and draws alike; nothing here knows a study."""

"""What several studies share on their way from estimates to sentences and figures; nothing here knows a study."""

"""From coded outcomes to estimates: decoded once, compared one way, for every study."""

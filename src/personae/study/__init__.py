"""What a study is: what it asks, how an answer is read, what is measured; and where studies are found."""

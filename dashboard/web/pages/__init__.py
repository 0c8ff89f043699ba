"""What pages are made of: the verbs of views, the frame, navigation, lists, rendered failures."""

"""Functions of one project, as a person sees and changes them: operations M9 to M14."""

"""Views of verifications: for terminals, as a page with its drawings, and as JUnit XML."""

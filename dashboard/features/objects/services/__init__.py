"""What a person does with objects, one module a verb's family. No request, no HTML, no settings."""

// The scripts of the page that edits the source of a function.
// include "bundle-fields.js"
// include "code-editor.js"
// include "kept-text.js"

/** A text as a regular expression that matches it, with the flag `u` or without. */
export const escapeExpression = (text: string): string =>
  text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&').replace(/-/g, '\\x2d');

/** A text as a regular expression, with or without the flag `u`, that matches just it. */
export const literalPattern = (text: string): string =>
  text.replaceAll(/[$()*+./?[\\\]^{|}]/g, String.raw`\$&`);

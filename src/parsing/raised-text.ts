import type { Element } from 'hast';

/** How text stands to its line: above it as exponents do, or below it as indices. */
export type Script = 'sup' | 'sub';

/** What is written raised or lowered and changes a word no more than the letters do: `1st`, `H2O`. */
const SAME_RAISED =
  /^(?:st|nd|rd|th|er?|o|os|as?|re|te|ers?|tm|sm|\u2122|\u00ae|\u00a9|\u00ba|\u00aa|\*+|[\u2020\u2021])$/i;
const SAME_LOWERED = /^\d+$/;

/** Raised or lowered text in a line: exponents and indices keep what they are (`10^6`, `x_i`), for without a sign `10^6` is `106`. Words stay as they are. */
export function scriptText(script: Script, text: string): string {
  const inside = text.trim();
  const isSame =
    inside === '' || /\s/.test(inside) || (script === 'sup' ? SAME_RAISED : SAME_LOWERED).test(inside);
  return isSame ? text : `${script === 'sup' ? '^' : '_'}${inside}`;
}

/** Markup of text that may be raised or lowered. */
export const scriptMarkup = (script: Script | undefined, markup: string): string =>
  script === undefined || markup === '' ? markup : `<${script}>${markup}</${script}>`;

/** How an element of HTML stands to its line, by its name or its style. */
export function scriptOf({ tagName, properties }: Element): Script | undefined {
  if (tagName === 'sup' || tagName === 'sub') return tagName;
  const style = typeof properties.style === 'string' ? properties.style : '';
  const align = /(?:^|;)\s*vertical-align\s*:\s*(sup|sub)(?:er)?\s*(?:!|;|$)/i.exec(style)?.[1];
  return align === undefined ? undefined : (align.toLowerCase() as Script);
}

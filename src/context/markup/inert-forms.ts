import { replaceComments } from '../comments.js';

// How live markup is written so that a reader still sees what was there, and no renderer loads, links or runs it.

const MAX_SHOWN = 300;

/** Text in code, on one line; backticks in it are left out, for they would end it. */
export const codeSpan = (text: string): string => {
  const shown = text.replaceAll(/[`\s]+/g, (run) => (run.includes('`') ? '' : ' ')).trim();
  return shown === '' ? '' : `\`${shown}\``;
};

export function shownImage(alt: string): string {
  const line = alt
    .replaceAll(/[[\]<>`\\]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const shown = line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)}…` : line;
  return shown === '' ? '[image]' : `[image: ${shown}]`;
}

/** A link's target without the query, where data would leave; with what stands between it and the label. */
export function shownTarget(target: string): string {
  const [place = ''] = target.split(/[?#]/, 1);
  const shown = codeSpan(place);
  return shown === '' ? '' : ` (${shown})`;
}

export const COMMENT_LEFT_OUT = '[comment left out]';
export const LINK_LEFT_OUT = '[link left out]';

/**
 * Elements that load, run, take input or hide what follows. Without attributes every other element only groups or formats,
 * and a name that HTML does not know, as in `List<String>`, does nothing.
 */
const ACTIVE_NAMES = new Set(
  (
    'a applet area audio base basefont bgsound body button canvas datalist details dialog embed fieldset form frame ' +
    'frameset head html iframe image img input isindex keygen label legend link listing map marquee math menu menuitem ' +
    'meta meter nextid noembed noframes noscript object optgroup option output param picture plaintext portal pre ' +
    'progress script select slot source style summary svg template textarea title track video xmp'
  ).split(' '),
);
const BARE_TAG = /^<\/?([A-Za-z][A-Za-z0-9]{0,39})\s{0,4}\/?>$/;
const TAG_OPENING = /<(?=[A-Za-z/!?])/g;

/** Whether a tag has no attributes and does nothing. */
export function isHarmlessTag(tag: string): boolean {
  const name = BARE_TAG.exec(tag)?.[1];
  return name !== undefined && !ACTIVE_NAMES.has(name.toLowerCase());
}

/** HTML as text: comments left out, tags that are not harmless opened by `‹`. */
export function brokenHtml(html: string): string {
  const visible = replaceComments(html, COMMENT_LEFT_OUT);
  return visible.replace(TAG_OPENING, (opening, at: number) => {
    const close = visible.slice(at, at + 50).indexOf('>');
    return close > 0 && isHarmlessTag(visible.slice(at, at + close + 1)) ? opening : '‹';
  });
}

const FENCE_RUN = /`{3,}|~{3,}/g;

/** Quotes where backticks or tildes could open a block of code. */
export const withoutFences = (text: string): string =>
  text.replace(FENCE_RUN, (run) => "'".repeat(run.length));

/**
 * The whole text without a character that could begin markup, whatever reads it: for text that costs more to read than it
 * may. Addresses are written as security reports write them (`hxxps`).
 */
export const defang = (text: string): string =>
  withoutFences(defangAddresses(text)).replaceAll('<', '‹').replaceAll('[', '(').replaceAll(']', ')');

/** Addresses that no reader turns into links. */
export const defangAddresses = (text: string): string =>
  text
    .replace(/h(tt)(ps?:\/\/)/gi, 'hxx$2')
    .replace(/ftp(s?:\/\/)/gi, 'fxp$1')
    .replace(/www\./gi, 'www(.)');

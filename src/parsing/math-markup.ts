import type { Element } from 'hast';
import { oneLine } from '../core/one-line.js';
import { textOf } from './hast-elements.js';

/** TeX that a formula of MathML carries along. */
const TEX = /^application\/x-tex$|^text\/x-latex$|^TeX$/i;

/** A formula of MathML (W3C MathML Core) as text in a line: its TeX between signs of dollar, where it is there, else `(T1-T2)/d`. */
export function formulaText(math: Element): string {
  const tex = texOf(math);
  return tex === undefined ? oneLine(written(math)) : `$${tex}$`;
}

function texOf(math: Element): string | undefined {
  const annotation = find(
    math,
    (element) => element.tagName === 'annotation' && TEX.test(String(element.properties.encoding ?? '')),
  );
  const stated =
    annotation === undefined ? (math.properties.altText ?? math.properties.alttext) : textOf(annotation);
  const tex =
    typeof stated === 'string'
      ? stated
          .trim()
          .replace(/^\{\\displaystyle\s*([\s\S]*)\}$/, '$1')
          .trim()
      : '';
  return tex === '' ? undefined : tex;
}

function find(node: Element, isWanted: (element: Element) => boolean): Element | undefined {
  for (const child of node.children) {
    if (child.type !== 'element') continue;
    const found = isWanted(child) ? child : find(child, isWanted);
    if (found !== undefined) return found;
  }
  return undefined;
}

const partsOf = ({ children }: Element): Element[] => children.filter((child) => child.type === 'element');
const grouped = (text: string): string => (/^[\p{L}\p{N}.,]*$/u.test(text) ? text : `(${text})`);
const inner = (element: Element): string =>
  element.children
    .map((child) => (child.type === 'element' ? written(child) : textOf(child).trim()))
    .join('');

function written(element: Element): string {
  const write = WRITERS[element.tagName];
  return write === undefined ? inner(element) : write(element, partsOf(element).map(written));
}

const nothing = (): string => '';
const below = (_: Element, [base = '', sub = '']: readonly string[]): string => `${base}_${grouped(sub)}`;
const above = (_: Element, [base = '', sup = '']: readonly string[]): string => `${base}^${grouped(sup)}`;
const both = (_: Element, [base = '', sub = '', sup = '']: readonly string[]): string =>
  `${base}_${grouped(sub)}^${grouped(sup)}`;

const WRITERS: Readonly<Record<string, (element: Element, parts: readonly string[]) => string>> = {
  annotation: nothing,
  'annotation-xml': nothing,
  mphantom: nothing,
  mspace: () => ' ',
  mo: (element) => {
    const sign = textOf(element).trim();
    // Function application, and times that is not shown.
    if (/^[\u2061-\u2064]?$/.test(sign)) return '';
    return /^[=<>≤≥≠≈∈→+×·±]$/u.test(sign) ? ` ${sign} ` : sign;
  },
  mtext: (element) => ` ${textOf(element).trim()} `,
  mfrac: (_, [top = '', bottom = '']) => `${grouped(top.trim())}/${grouped(bottom.trim())}`,
  msup: above,
  msub: below,
  msubsup: both,
  munder: below,
  mover: above,
  munderover: both,
  msqrt: (element) => `sqrt(${inner(element).trim()})`,
  mroot: (_, [base = '', degree = '']) => `root_${grouped(degree)}(${base.trim()})`,
  mtr: (_, cells) => cells.map((cell) => cell.trim()).join(', '),
  mtable: (_, rows) => `[${rows.join('; ')}]`,
};

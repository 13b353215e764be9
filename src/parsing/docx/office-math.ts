import { escapeMarkup } from '../open-archive.js';
import { childOf, elementsOf, readXml, type XmlElement, xmlText } from '../read-xml.js';

/** `m:oMath` does not nest. */
const FORMULA = /<m:oMath(?:\s[^>]*)?>[\s\S]*?<\/m:oMath>/g;
const PARAGRAPH = /<m:oMathParaPr\b[\s\S]*?<\/m:oMathParaPr>|<\/?m:oMathPara\b[^>]*>/g;

/**
 * WordprocessingML with its formulas (Office Math, ECMA-376 part 1, 22.1) as text in a line: `Q = k A (T1 - T2)/d`.
 *
 * @param name the document's id, for the message
 * @throws `DOCUMENT_INVALID` for a formula that is not well-formed
 */
export async function formulasAsText(xml: string, name: string): Promise<string> {
  if (!xml.includes('<m:oMath')) return xml;
  const bare = xml.replace(PARAGRAPH, '');
  const parts: string[] = [];
  let at = 0;
  for (const match of bare.matchAll(FORMULA)) {
    const text = linear(await readXml(match[0], name)).trim();
    parts.push(
      bare.slice(at, match.index),
      `<w:r><w:t xml:space="preserve">${escapeMarkup(text)}</w:t></w:r>`,
    );
    at = match.index + match[0].length;
  }
  return parts.join('') + bare.slice(at);
}

const linear = (element: XmlElement): string => elementsOf(element).map(written).join('');
const partOf = (element: XmlElement, name: string): string => {
  const part = childOf(element, name);
  return part === undefined ? '' : linear(part).trim();
};
/** What it stands on, or encloses. */
const basesOf = (element: XmlElement): string[] =>
  elementsOf(element)
    .filter(({ name }) => name === 'e')
    .map((part) => linear(part).trim());
const grouped = (text: string): string => (/^[\p{L}\p{N}.,]*$/u.test(text) ? text : `(${text})`);
const propertyOf = (element: XmlElement, properties: string, name: string): string | undefined =>
  childOf(childOf(element, properties), name)?.attributes.val;

/** How an element of a formula is written in a line; of one that is not named here, what stands in it. */
function written(element: XmlElement): string {
  const write = WRITERS[element.name];
  if (write !== undefined) return write(element);
  return element.name.endsWith('Pr') ? '' : linear(element);
}

const scripted = (base: string, sub: string, sup: string): string =>
  base + (sub === '' ? '' : `_${grouped(sub)}`) + (sup === '' ? '' : `^${grouped(sup)}`);

const WRITERS: Readonly<Record<string, (element: XmlElement) => string>> = {
  t: xmlText,
  r: linear,
  f: (element) => `${grouped(partOf(element, 'num'))}/${grouped(partOf(element, 'den'))}`,
  sSub: (element) => scripted(partOf(element, 'e'), partOf(element, 'sub'), ''),
  sSup: (element) => scripted(partOf(element, 'e'), '', partOf(element, 'sup')),
  sSubSup: (element) => scripted(partOf(element, 'e'), partOf(element, 'sub'), partOf(element, 'sup')),
  sPre: (element) =>
    `${scripted('', partOf(element, 'sub'), partOf(element, 'sup'))} ${partOf(element, 'e')}`,
  rad: (element) => {
    const degree = partOf(element, 'deg');
    return `${degree === '' ? 'sqrt' : `root_${grouped(degree)}`}(${partOf(element, 'e')})`;
  },
  nary: (element) =>
    `${scripted(propertyOf(element, 'naryPr', 'chr') ?? '∫', partOf(element, 'sub'), partOf(element, 'sup'))} ${partOf(element, 'e')}`,
  limLow: (element) => scripted(partOf(element, 'e'), partOf(element, 'lim'), ''),
  limUpp: (element) => scripted(partOf(element, 'e'), '', partOf(element, 'lim')),
  func: (element) => `${partOf(element, 'fName')} ${partOf(element, 'e')}`,
  d: (element) => {
    const [open, close] = [
      propertyOf(element, 'dPr', 'begChr') ?? '(',
      propertyOf(element, 'dPr', 'endChr') ?? ')',
    ];
    return open + basesOf(element).join(propertyOf(element, 'dPr', 'sepChr') ?? ', ') + close;
  },
  m: (element) =>
    `[${elementsOf(element)
      .filter(({ name }) => name === 'mr')
      .map((row) =>
        elementsOf(row)
          .map((cell) => linear(cell).trim())
          .join(', '),
      )
      .join('; ')}]`,
  eqArr: (element) => basesOf(element).join('; '),
};

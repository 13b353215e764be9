import { RAGError } from '../core/errors.js';

/** An element of XML, its name without its prefix. Attributes are under their name with and without it (`r:id`, `id`); one that has none comes first. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlNode[];
}

export type XmlNode = XmlElement | string;

/** Deeper elements are no document that a program wrote. */
const MAX_DEPTH = 500;

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

/**
 * The root element of XML. References to entities other than the five of XML are kept as they are written, and no document type is read.
 *
 * @param name the document's id, for the message
 * @throws `DOCUMENT_INVALID` for what is not well-formed
 */
export async function readXml(xml: string, name: string): Promise<XmlElement> {
  const { SaxesParser } = await import('saxes');
  const root: OpenElement = { name: '', attributes: {}, children: [] };
  const open = [root];
  const parser = new SaxesParser({ xmlns: false, fragment: true });
  parser.on('opentag', ({ name: tag, attributes }) => {
    if (open.length > MAX_DEPTH) throw invalidXml(name);
    const element = {
      name: localName(tag),
      attributes: named(attributes),
      children: [],
    };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  const addText = (text: string): void => {
    open.at(-1)?.children.push(text);
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', () => open.pop());
  parser.on('error', (cause) => {
    throw invalidXml(name, cause);
  });
  parser.write(xml.replace(/^\s*<\?xml[^>]*\?>/, '')).close();
  const [element] = root.children.filter((child): child is XmlElement => typeof child !== 'string');
  if (element === undefined) throw invalidXml(name);
  return element;
}

function named(attributes: Readonly<Record<string, string>>): Record<string, string> {
  const all = Object.entries(attributes);
  const local = all.filter(([key]) => key.includes(':')).map(([key, value]) => [localName(key), value]);
  return Object.fromEntries([...local, ...all]);
}

interface OpenElement extends XmlElement {
  readonly children: XmlNode[];
}

const invalidXml = (name: string, cause?: unknown): RAGError =>
  new RAGError('DOCUMENT_INVALID', `"${name}" holds XML that cannot be read. Save it again, or exclude it.`, {
    cause,
  });

export const elementsOf = ({ children }: XmlElement): XmlElement[] =>
  children.filter((child): child is XmlElement => typeof child !== 'string');

/** The first child element of a name. */
export const childOf = (element: XmlElement | undefined, name: string): XmlElement | undefined =>
  element?.children.find((child): child is XmlElement => typeof child !== 'string' && child.name === name);

/** All elements of a name below an element, in document order; what stands in one of them is not looked at. */
export function allOf(element: XmlElement, name: string): XmlElement[] {
  const found: XmlElement[] = [];
  const collect = ({ children }: XmlElement): void => {
    for (const child of children) {
      if (typeof child === 'string') continue;
      if (child.name === name) found.push(child);
      else collect(child);
    }
  };
  collect(element);
  return found;
}

/** The text below an element, as it is written. */
export const xmlText = (node: XmlNode): string =>
  typeof node === 'string' ? node : node.children.map(xmlText).join('');

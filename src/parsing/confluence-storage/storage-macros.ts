import type { Element, ElementContent } from 'hast';
import { attributeOf, childOf, element, isElement, textOf } from '../hast-elements.js';

/** Boxes with a meaning, and what stands above them. */
const BOXES: Readonly<Record<string, string>> = {
  info: 'Info',
  tip: 'Tip',
  note: 'Note',
  warning: 'Warning',
  panel: '',
};

/** Mark places only, or repeat what stands elsewhere on the page. */
const WITHOUT_TEXT: ReadonlySet<string> = new Set(['anchor', 'toc', 'toc-zone']);

/** Parameters that say what a macro shows, in this order. */
const TELLING_PARAMETERS = ['key', 'jqlQuery', 'cql', 'url', 'name', 'page', 'filename', 'title'] as const;

export interface ConvertedMacro {
  readonly nodes: readonly ElementContent[];
  /** Name of a macro whose content is not on the page: it was left out, and a note stands in its place. */
  readonly leftOut?: string;
}

/**
 * A macro as plain elements. What it holds is kept; what it would fetch or draw cannot be, and leaves a note with its name
 * and what it was to show.
 *
 * @param convert converts the elements of the macro's body
 */
export function convertMacro(
  macro: Element,
  convert: (children: readonly ElementContent[]) => ElementContent[],
): ConvertedMacro {
  const name = attributeOf(macro, 'ac:name');
  const parameters = parametersOf(macro);
  const plain = childOf(macro, 'ac:plain-text-body');
  if (plain !== undefined)
    return { nodes: withTitle(parameters.get('title'), [codeBlock(name, parameters, textOf(plain))]) };
  const rich = childOf(macro, 'ac:rich-text-body');
  if (rich !== undefined) return { nodes: richBody(name, parameters, convert(rich.children)) };
  if (WITHOUT_TEXT.has(name)) return { nodes: [] };
  if (name === 'status') return { nodes: [element('strong', [parameters.get('title') ?? ''])] };
  const formula = parameters.get('body');
  if (formula !== undefined) return { nodes: [element('code', [formula])] };
  return { nodes: [note(name, parameters)], leftOut: name };
}

function parametersOf(macro: Element): Map<string, string> {
  const parameters = macro.children.filter((child): child is Element => isElement(child, 'ac:parameter'));
  return new Map(
    parameters.map((parameter) => [attributeOf(parameter, 'ac:name'), parameterText(parameter)]),
  );
}

/** A parameter may name a page or a user by an element. */
function parameterText(parameter: Element): string {
  const text = textOf(parameter).trim();
  if (text !== '') return text;
  const [reference] = parameter.children;
  return reference?.type === 'element'
    ? attributeOf(reference, 'ri:content-title') ||
        attributeOf(reference, 'ri:value') ||
        attributeOf(reference, 'ri:filename')
    : '';
}

function codeBlock(name: string, parameters: ReadonlyMap<string, string>, text: string): Element {
  const stated = parameters.get('language') ?? '';
  const language = name === 'code' && stated !== 'none' ? stated.replaceAll(/\s+/g, '-') : '';
  return element('pre', [
    element('code', [text], language === '' ? {} : { className: [`language-${language}`] }),
  ]);
}

function richBody(
  name: string,
  parameters: ReadonlyMap<string, string>,
  body: readonly ElementContent[],
): ElementContent[] {
  const box = BOXES[name];
  const title = parameters.get('title');
  if (box === undefined) return withTitle(title, body);
  return [element('blockquote', withTitle(title ?? (box === '' ? undefined : box), body))];
}

const withTitle = (title: string | undefined, body: readonly ElementContent[]): ElementContent[] =>
  title === undefined || title === '' ? [...body] : [element('p', [element('strong', [title])]), ...body];

function note(name: string, parameters: ReadonlyMap<string, string>): Element {
  const told = TELLING_PARAMETERS.map((parameter) => parameters.get(parameter)).find(
    (value) => value !== undefined && value !== '',
  );
  return element('em', [told === undefined ? `(macro ${name})` : `(macro ${name}: ${told})`]);
}

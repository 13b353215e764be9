import type { Element, ElementContent, Properties } from 'hast';

/** An element with its children; text may stand for a text node. */
export const element = (
  tagName: string,
  children: readonly (ElementContent | string)[],
  properties: Properties = {},
): Element => ({
  type: 'element',
  tagName,
  properties,
  children: children.map((child) => (typeof child === 'string' ? { type: 'text', value: child } : child)),
});

/** All text below, as it stands. */
export const textOf = (node: ElementContent): string => {
  if (node.type === 'text') return node.value;
  return node.type === 'element' ? node.children.map(textOf).join('') : '';
};

export const isElement = (node: ElementContent | undefined, tagName: string): node is Element =>
  node?.type === 'element' && node.tagName === tagName;

/** The first child of a name. */
export const childOf = (parent: Element, tagName: string): Element | undefined =>
  parent.children.find((child): child is Element => isElement(child, tagName));

/** An attribute as text; empty where it is absent. */
export const attributeOf = (node: Element | undefined, name: string): string => {
  const value = node?.properties[name];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
};

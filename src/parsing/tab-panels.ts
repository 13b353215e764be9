import type { Element, ElementContent, Root } from 'hast';
import { element, isElement, textOf } from './hast-elements.js';

const hasClass = (className: unknown, pattern: RegExp): boolean =>
  Array.isArray(className) && className.some((name) => pattern.test(String(name)));

/** Panels of tabs and folds are hidden until somebody opens them, and are text of the page all the same. */
export const isPanel = ({ role, ariaLabelledBy, className }: Element['properties']): boolean =>
  role === 'tabpanel' ||
  (role === 'region' && ariaLabelledBy !== undefined) ||
  hasClass(className, PANEL_CLASS);
const PANEL_CLASS =
  /(?:^|[-_])(?:tab|accordion|collapse)(?:bed|s)?[-_]*(?:panel|pane|content|item|body)(?:$|[-_])/i;

/** What names a panel of tabs stands on its own: labels side by side are one word, and buttons say nothing else. */
export const isTabLabel = ({ tagName, properties: { role, className } }: Element): boolean =>
  role === 'tab'
    ? /^(?:button|label|a|span|div)$/.test(tagName)
    : /^(?:button|label|a)$/.test(tagName) && hasClass(className, /(?:^|[-_])tab-?label$/i);

const isLabelBox = ({ properties }: Element): boolean =>
  hasClass(properties.className, /^tab(?:bed)?-?labels$/i);

/** Labels of panels in a box of their own are not marked themselves. */
export function withTabLabels(node: Element): Element {
  if (!isLabelBox(node)) return node;
  const children = node.children.map((child) =>
    isElement(child, 'label') ? { ...child, tagName: 'p' } : child,
  );
  return { ...node, children };
}

interface Tabs {
  readonly labels: Element[];
  readonly panels: Element[];
}

/**
 * Puts the label of each panel of tabs at its beginning, in bold: a page has them apart, so that no panel says what it is for. The panels of a label are those that
 * its nearest box holds, as many as there are labels, in their order; labels and panels that do not come out even stay where they are.
 *
 * @param root is changed
 */
export function joinTabs(root: Root | Element): void {
  const moved = new Map<Element, Element>();
  tabsIn(root, moved);
  if (moved.size === 0) return;
  const labels = new Set(moved.values());
  withoutLabels(root, labels);
  for (const [panel, label] of moved) panel.children.unshift(named(textOf(label)));
}

/** Labels and panels below a node that are of a box around it; pairs that it holds are noted. */
function tabsIn(node: Root | Element, moved: Map<Element, Element>, isBox = false): Tabs {
  let found: Tabs = { labels: [], panels: [] };
  for (const child of node.children) {
    if (child.type !== 'element') continue;
    if (isLabel(child, isBox)) {
      found.labels.push(child);
      continue;
    }
    const inner = tabsIn(child, moved, isLabelBox(child));
    const isOne =
      child.properties.role === 'tabpanel' ||
      (hasClass(child.properties.className, OWN_PANEL) && inner.panels.length === 0);
    if (isOne) inner.panels.splice(0, inner.panels.length, child);
    found = joined(found, inner);
  }
  const { labels, panels } = found;
  if (labels.length === 0 || labels.length !== panels.length) return found;
  for (const [at, panel] of panels.entries()) {
    const label = labels[at];
    if (label !== undefined) moved.set(panel, label);
  }
  return { labels: [], panels: [] };
}

/** A box around panels is called alike, but for the panels in it. */
const OWN_PANEL = /(?:^|[-_])tab(?:bed|s)?[-_]*(?:panel|pane|content|block)(?:$|[-_])/i;

const isLabel = (element: Element, isInBox: boolean): boolean =>
  isTabLabel(element) || element.properties.role === 'tab' || (isInBox && element.tagName === 'label');

/** In time of the smaller one where the other is empty, so that boxes in boxes cost no more than one. */
function joined(one: Tabs, other: Tabs): Tabs {
  if (one.labels.length + one.panels.length === 0) return other;
  for (const label of other.labels) one.labels.push(label);
  for (const panel of other.panels) one.panels.push(panel);
  return one;
}

/** Takes labels out, with the items and lists that hold nothing else; says whether a node then holds nothing that it did not hold before. */
function withoutLabels(node: Root | Element, labels: ReadonlySet<Element>): boolean {
  let isTaken = false;
  const children = (node.children as ElementContent[]).filter((child) => {
    if (child.type !== 'element') return true;
    const isEmpty = labels.has(child) || withoutLabels(child, labels);
    isTaken ||= isEmpty;
    return !isEmpty;
  });
  if (!isTaken) return false;
  node.children = children;
  return children.every((child) => child.type === 'text' && child.value.trim() === '');
}

const named = (label: string): Element => element('p', [element('strong', [label.trim()])]);

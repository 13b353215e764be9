/**
 * Every alternative ends within a bounded length or at the next mark of its kind, so that the time is linear: code, links,
 * cross references, macros with a text in brackets, an anchor, a passage with a role, a line break.
 */
const MARKUP =
  /`\+?([^`\n]{1,300}?)\+?`|(?:link:)?((?:https?|mailto):[^\s[\]<>]{1,500})\[([^\]]{0,300})\]|link:([^\s[\]<>]{1,300})\[([^\]]{0,300})\]|<<([^<>,]{1,200})(?:,([^<>]{1,300}))?>>|\b(xref|image|kbd|btn|menu|footnote|footnoteref|icon|pass|stem|anchor|indexterm):([^\s[\]]{0,300})\[([^\]]{0,500})\]|\[\[[^\]\n]{1,200}\]\]|(?:\[[.#\w%-]{1,60}\])?(?<![\w&#])#(?=\S)([^#\n]{1,300})(?<=\S)#(?![\w#])| \+$/gm;

/**
 * Text as a person reads it, in Markdown; no line end is added or lost.
 *
 * @param onPicture is called for each picture
 */
export function readInline(text: string, onPicture: () => void): string {
  return text.replace(MARKUP, (_, ...groups: (string | undefined)[]) => {
    const [code, address, linkText, path, pathText, id, title, macro, target, content, passage] = groups;
    if (code !== undefined) return `\`${code}\``;
    if (address !== undefined) return linkTo(address, linkText ?? '');
    if (path !== undefined) return firstOf(pathText ?? '') || path;
    if (id !== undefined) return (title ?? id).trim();
    if (macro === 'image') onPicture();
    if (macro !== undefined) return macroText(macro, target ?? '', content ?? '') + lineEndsIn(content ?? '');
    return passage ?? '';
  });
}

/** A link's text; what stands behind a comma with a name are settings. */
const firstOf = (text: string): string =>
  text
    .replace(/,\s*[a-z]+=.*$|\^$/s, '')
    .replace(/^"(.*)"$/s, '$1')
    .trim();

function linkTo(address: string, text: string): string {
  const label = firstOf(text);
  return label === '' || /[()]/.test(address) ? label || address : `[${label}](${address})`;
}

function macroText(macro: string, target: string, content: string): string {
  const text = content.replaceAll('\n', ' ');
  if (macro === 'xref') return firstOf(text) || target;
  if (macro === 'image' || macro === 'icon') return firstOf(text.split(',', 1)[0] ?? '');
  if (macro === 'menu')
    return [target, ...text.split('>').map((item) => item.trim())].filter(Boolean).join(' > ');
  if (macro.startsWith('footnote')) return text === '' ? '' : ` (${text})`;
  return macro === 'anchor' || macro === 'indexterm' ? '' : text;
}

const lineEndsIn = (text: string): string => text.replace(/[^\n]/g, '');

// Packages that become part of a built file, and their licences.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LICENCES = new Set(['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause']);

export const packageOf = (specifier) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;

/** The licences of what was bundled; they ask to be passed on with it. */
export async function licencesOf(inputs) {
  const folders = new Set(inputs.flatMap((input) => folderOfPackage(input) ?? []));
  const notices = await Promise.all([...folders].sort().map(noticeOf));
  return `Packages that are part of the files of this folder, and their licences.\n\n${notices.join('\n')}`;
}

function folderOfPackage(input) {
  const at = input.lastIndexOf('node_modules/');
  if (at === -1) return undefined;
  const start = at + 'node_modules/'.length;
  return join(ROOT, input.slice(0, start) + packageOf(input.slice(start)));
}

async function noticeOf(folder) {
  const { name, version, license, author } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  if (!LICENCES.has(license))
    throw new Error(`${name}: the licence ${license} does not allow to bundle it unseen`);
  const files = await readdir(folder);
  const file = files.find((candidate) => /^licen[cs]e/i.test(candidate));
  // A few packages state their licence and ship no text of it.
  const text = file === undefined ? statedLicence(author) : await readFile(join(folder, file), 'utf8');
  return `## ${name} ${version} (${license})\n\n${text}`;
}

function statedLicence(author) {
  const by = typeof author === 'object' ? author.name : author;
  return `The package has no licence text of its own. Its author: ${by ?? 'not stated'}.\n`;
}

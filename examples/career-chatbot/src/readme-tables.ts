/** Tables of the README, by the names of the comments that they stand between. */
export type ReadmeTables = Readonly<Record<string, string>>;

const between = (name: string): RegExp => new RegExp(`(<!-- ${name} -->\n)(.*?)(<!-- end -->)`, 's');

/** The README with these tables in their places. Throws where it has no place for one. */
export function inReadme(readme: string, tables: ReadmeTables): string {
  return Object.entries(tables).reduce((text, [name, table]) => {
    if (!between(name).test(text)) throw new Error(`The README has no <!-- ${name} -->.`);
    return text.replace(between(name), (_, head: string, __, end: string) => `${head}\n${table}\n${end}`);
  }, readme);
}

/** The table that the README has under a name. */
export const readmeTable = (readme: string, name: string): string =>
  between(name).exec(readme)?.[2]?.trim() ?? '';

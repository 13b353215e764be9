import fc from 'fast-check';

/** Which of the three places an edit is made in. */
export type Place = 0 | 1 | 2;
const PLACES: readonly Place[] = [0, 1, 2];

interface Picked {
  readonly place: Place;
  readonly pick: number;
}

/** One step of a script. Numbers choose among what there is, so that every script makes sense. */
export type Step =
  | ({ readonly do: 'create'; readonly text: number } & Picked)
  | ({ readonly do: 'edit'; readonly text: number } & Picked)
  | ({ readonly do: 'rename'; readonly to: number } & Picked)
  | ({ readonly do: 'move'; readonly to: number } & Picked)
  | ({ readonly do: 'delete' } & Picked)
  | ({ readonly do: 'restore' } & Picked)
  | ({ readonly do: 'restrict' } & Picked)
  /** A run, which dies after a share of the moments that the last whole one took. */
  | { readonly do: 'run'; readonly dies: number | undefined; readonly force: boolean }
  /** A run while a place cannot be reached. */
  | { readonly do: 'outage'; readonly place: Place };

const place = fc.constantFrom(...PLACES);
const pick = fc.nat(30);

const edit: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('create' as const), place, pick, text: fc.nat(6) }),
  fc.record({ do: fc.constant('create' as const), place, pick, text: fc.nat(6) }),
  fc.record({ do: fc.constant('edit' as const), place, pick, text: fc.nat(6) }),
  fc.record({ do: fc.constant('rename' as const), place, pick, to: pick }),
  fc.record({ do: fc.constant('move' as const), place, pick, to: pick }),
  fc.record({ do: fc.constant('delete' as const), place, pick }),
  fc.record({ do: fc.constant('restore' as const), place, pick }),
  fc.record({ do: fc.constant('restrict' as const), place, pick }),
);

/** Chosen evenly: numbers of fast-check lean towards their ends. */
const HUNDREDTHS = Array.from({ length: 100 }, (_, i) => i / 100);

const run: fc.Arbitrary<Step> = fc.record({
  do: fc.constant('run' as const),
  dies: fc.option(fc.constantFrom(...HUNDREDTHS), { nil: undefined, freq: 3 }),
  force: fc.integer({ min: 0, max: 9 }).map((force) => force === 0),
});

/** Edits with runs between them, some of which die. */
export const editScript: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 7, arbitrary: edit },
    { weight: 3, arbitrary: run },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('outage' as const), place }) },
  ),
  { minLength: 6, maxLength: 16 },
);

const FOLDERS = ['', 'a/', 'secret/'];
const NAMES = ['lamp.md', 'door.txt', 'stairs.md', 'cellar.txt'];

/** Every name that a document may have. */
export const POSSIBLE_NAMES = FOLDERS.flatMap((folder) => NAMES.map((name) => folder + name));

/** The name in another folder. */
export const movedName = (name: string, to: number): string =>
  (FOLDERS[to % FOLDERS.length] ?? '') + name.slice(name.lastIndexOf('/') + 1);

/**
 * Words that no other text has, so that a search tells them apart; two paragraphs make two chunks. What it links to depends on where it is, so
 * that the graph changes with a path too.
 */
export const textOf = (text: number): string =>
  `# Lantern ${text}\n\nThe lantern number ${text} is lit at dusk by keeper${text}.\n\nIt is put out at dawn${text}. See [the lamp](lamp.md#lantern), \`lampOf${text}\`, [a door](a/door.txt), LAMP-${text} and #${text}.\n`;

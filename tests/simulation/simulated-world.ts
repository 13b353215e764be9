import { type Faults, NO_FAULTS } from './faults.js';
import type { Scheduler } from './scheduler.js';
import { SimulatedDisk } from './simulated-disk.js';
import { SimulatedWiki } from './simulated-wiki.js';
import { Truth, type TruthDocument } from './truth.js';

export const TENANT = 'default';
export const OTHER_TENANT = 'other';

/** Who may read `secret/` and hidden pages. */
export const STAFF = { tenant: TENANT, groups: ['staff'], clearance: 9 };
export const GUEST = { tenant: TENANT };
export const OTHERS = { tenant: OTHER_TENANT };

const NOTES = [
  'lamp.md',
  'door.md',
  'stairs.md',
  'a/cellar.md',
  'a/attic.md',
  'secret/safe.md',
  'secret/key.md',
];
const PAGES = ['harbour', 'lighthouse', 'mole', 'quay', 'slip'];

/** Sections of a text: some say which version it is, some are the same in many, so that chunks stay, move and are written anew. */
export function textOf(name: string, version: number, sections: number): string {
  const parts = Array.from({ length: sections }, (_, i) => {
    const mark = (version + i) % 3 === 0 ? `of rank ${i}` : `number ${version}`;
    return `## Watch ${i}\n\nThe lantern ${mark} of ${name} is lit at dusk and is put out at dawn by the keeper ${i}.\n`;
  });
  return `# Lantern of ${name}\n\nIt was lit ${version} times at dusk.\n\n${parts.join('\n')}`;
}

/** After how many milliseconds people see that they removed the wrong thing. */
const PUT_BACK_MS = [200, 8_000] as const;

/** What people keep in two places, and edit while it is read. */
export class SimulatedWorld {
  readonly truth = new Truth();
  readonly disk: SimulatedDisk;
  readonly wiki = new SimulatedWiki();
  readonly #scheduler: Scheduler;
  readonly #present = new Map<string, { readonly text: string; readonly isHidden: boolean }>();
  readonly #removed = new Map<string, { readonly text: string; readonly isHidden: boolean }>();
  #versions = 0;
  #lastEdited = '';

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
    this.disk = new SimulatedDisk(scheduler);
    for (const name of [...NOTES.slice(0, 4), ...PAGES.slice(0, 3)])
      this.#change(name, { text: this.newText(name), isHidden: false }, NO_FAULTS);
  }

  /** A text that was never written before. */
  newText(name: string): string {
    this.#versions += 1;
    return textOf(name, this.#versions, this.#scheduler.random.below(5));
  }

  #documentOf(name: string): TruthDocument {
    return { tenant: TENANT, source: NOTES.includes(name) ? 'notes' : 'wiki', externalId: name };
  }

  #set(name: string, text: string | undefined, isHidden: boolean): void {
    const isNote = NOTES.includes(name);
    const state = {
      text,
      isHidden: isNote ? name.startsWith('secret/') : isHidden,
      from: this.#scheduler.now,
    };
    this.#scheduler.note(
      `${name} is ${text === undefined ? 'gone' : `written${state.isHidden ? ', hidden' : ''}`}`,
    );
    this.truth.become(this.#documentOf(name), state);
    const place = isNote ? this.disk : this.wiki;
    if (text === undefined) place.remove(name);
    else place.write(name, text, isHidden);
  }

  /** One of the two places cannot be reached for a while. */
  takeAway(forMs: number): void {
    const place = this.#scheduler.random.pick([this.disk, this.wiki]) ?? this.disk;
    place.isAway = true;
    this.#scheduler.after(forMs, 'it can be reached again', () => {
      place.isAway = false;
    });
  }

  /** Everything can be reached. */
  giveBack(): void {
    this.disk.isAway = false;
    this.wiki.isAway = false;
  }

  /** One edit. */
  edit(faults: Faults): void {
    const { random } = this.#scheduler;
    // People come back to what they have just written.
    const isAgain = this.#lastEdited !== '' && random.chance(0.4);
    const name = isAgain ? this.#lastEdited : (random.pick([...NOTES, ...PAGES]) ?? '');
    this.#lastEdited = name;
    const now = this.#present.get(name);
    const kind = random.weighed({
      write: 4,
      remove: 2,
      restore: now === undefined ? 6 : 1,
      hide: 1,
      rename: 1,
      mistake: now === undefined ? 0 : 5,
    });
    if (kind === 'mistake') this.#mistake(name, faults);
    else if (kind === 'remove') this.#change(name, undefined, faults);
    else if (kind === 'restore') this.#change(name, this.#removed.get(name), faults);
    else if (kind === 'hide' && now !== undefined)
      this.#change(name, { ...now, isHidden: !now.isHidden }, faults);
    else if (kind === 'rename' && now !== undefined) {
      const to = random.pick(NOTES.includes(name) ? NOTES : PAGES) ?? name;
      if (to === name) return;
      this.#change(name, undefined, faults);
      this.#change(to, now, faults);
    } else this.#change(name, { text: this.newText(name), isHidden: now?.isHidden ?? false }, faults);
  }

  /** It is put back soon, as it was or with another text: a listing from before, that calls it gone, may be carried out after that. */
  #mistake(name: string, faults: Faults): void {
    const { random } = this.#scheduler;
    this.#change(name, undefined, faults);
    const putBack = (): void => {
      const before = this.#removed.get(name);
      if (this.#present.has(name) || before === undefined) return;
      const text = random.chance(0.5) ? before.text : this.newText(name);
      this.#change(name, { ...before, text }, faults);
    };
    this.#scheduler.after(random.between(...PUT_BACK_MS), `${name} is put back`, putBack);
  }

  #change(
    name: string,
    to: { readonly text: string; readonly isHidden: boolean } | undefined,
    faults: Faults,
  ): void {
    const { random } = this.#scheduler;
    const before = this.#present.get(name);
    if (before !== undefined) this.#removed.set(name, before);
    if (to === undefined) {
      this.#present.delete(name);
      this.#set(name, undefined, false);
      return;
    }
    this.#present.set(name, to);
    if (!NOTES.includes(name) || !random.chance(faults.torn)) {
      this.#set(name, to.text, to.isHidden);
      return;
    }
    // A read at this moment sees the beginning of the file.
    this.#set(name, to.text.slice(0, random.below(to.text.length)), false);
    const finish = (): void => {
      if (this.#present.get(name) === to) this.#set(name, to.text, to.isHidden);
    };
    this.#scheduler.after(random.between(1, 3_000), `${name} is written to its end`, finish);
  }
}

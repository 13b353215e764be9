import { contentHash, documentIdOf } from '../../src/core/ids.js';
import type { Scheduler } from './scheduler.js';
import { SimulatedDisk } from './simulated-disk.js';
import { SimulatedWiki } from './simulated-wiki.js';
import { TENANT, textOf } from './simulated-world.js';

/** Documents of each of the two places. */
const DOCUMENTS = 200;

const NOTES = Array.from({ length: DOCUMENTS }, (_, i) => `team-${i % 8}/note-${i}.md`);
const PAGES = Array.from({ length: DOCUMENTS }, (_, i) => `page-${i}`);

/** A revision, none where it was not there, from a moment on. */
interface State {
  readonly from: number;
  readonly revision: string | undefined;
}

/** What a team keeps in two places and edits all day. It knows of each document since when an index may be behind. */
export class DayWorld {
  readonly disk: SimulatedDisk;
  readonly wiki = new SimulatedWiki();
  readonly #scheduler: Scheduler;
  readonly #texts = new Map<string, string>();
  /** What each document was, from the revision on that an index was last seen to hold. */
  readonly #history = new Map<string, State[]>();
  #versions = 0;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
    this.disk = new SimulatedDisk(scheduler);
    for (const name of [...NOTES, ...PAGES]) this.#set(name, this.#newText(name));
  }

  /** Writes, removes, renames or makes one document. */
  edit(): void {
    const { random } = this.#scheduler;
    const names = random.chance(0.5) ? NOTES : PAGES;
    const name = random.pick(names) ?? '';
    const text = this.#texts.get(name);
    const kind = text === undefined ? 'write' : random.weighed({ write: 6, remove: 1, rename: 1 });
    if (kind !== 'write') this.#set(name, undefined);
    if (kind === 'rename') this.#set(random.pick(names) ?? name, text);
    if (kind === 'write') this.#set(name, this.#newText(name));
  }

  #newText(name: string): string {
    this.#versions += 1;
    return textOf(name, this.#versions, this.#scheduler.random.below(4));
  }

  #set(name: string, text: string | undefined): void {
    const revision = text === undefined ? undefined : contentHash(text);
    const state: State = { from: this.#scheduler.now, revision };
    this.#history.set(name, [...(this.#history.get(name) ?? []), state]);
    const place = NOTES.includes(name) ? this.disk : this.wiki;
    if (text === undefined) {
      this.#texts.delete(name);
      place.remove(name);
    } else {
      this.#texts.set(name, text);
      place.write(name, text, false);
    }
  }

  /**
   * Holds an index against what the places have now.
   *
   * @param held revisions by document id
   */
  compare(held: ReadonlyMap<string, string>): { readonly drift: number; readonly lagMs: number } {
    let drift = 0;
    let since = this.#scheduler.now;
    for (const [name, states] of this.#history) {
      const revision = held.get(documentIdOf(TENANT, NOTES.includes(name) ? 'notes' : 'wiki', name));
      const at = states.findLastIndex((state) => state.revision === revision);
      // Of what it holds now, nothing before matters any more.
      if (at > 0) states.splice(0, at);
      const missed = at === -1 ? states[0] : states[1];
      if (missed === undefined) continue;
      drift += 1;
      since = Math.min(since, missed.from);
    }
    return { drift, lagMs: this.#scheduler.now - since };
  }

  get documents(): number {
    return this.#texts.size;
  }
}

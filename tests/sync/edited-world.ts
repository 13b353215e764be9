import type { RAGSettingsInput } from '../../src/config/schema/index.js';
import { movedName, type Place, POSSIBLE_NAMES, type Step, textOf } from './edit-script.js';
import type { EditedPlace } from './edited-places.js';

/** What people did in three places, and who may read what. */
export class EditedWorld {
  readonly places: readonly EditedPlace[];
  readonly #texts: readonly Map<string, number>[];
  readonly #removed: readonly Map<string, number>[];
  readonly #restricted = new Set<string>();
  readonly #clock: { now: number };

  constructor(places: readonly EditedPlace[], clock = { now: Date.parse('2026-01-01T00:00:00.000Z') }) {
    this.places = places;
    this.#clock = clock;
    this.#texts = places.map(() => new Map<string, number>());
    this.#removed = places.map(() => new Map<string, number>());
  }

  get now(): number {
    return this.#clock.now;
  }

  pass(ms: number): void {
    this.#clock.now += ms;
  }

  #of(place: Place) {
    const [edited, texts, removed] = [this.places[place], this.#texts[place], this.#removed[place]];
    if (edited === undefined || texts === undefined || removed === undefined)
      throw new Error('No such place.');
    return { edited, texts, removed };
  }

  edit(step: Exclude<Step, { do: 'run' | 'outage' }>): void {
    const { place } = step;
    const { texts, removed } = this.#of(place);
    const pickOf = (names: Iterable<string>): string | undefined => {
      const sorted = [...names].sort();
      return sorted[step.pick % sorted.length];
    };
    const name = pickOf(step.do === 'restore' ? removed.keys() : texts.keys());
    const free = pickOf(POSSIBLE_NAMES.filter((possible) => !texts.has(possible)));
    if (step.do === 'create') {
      if (free !== undefined) this.#write(place, free, step.text);
    } else if (name !== undefined) this.#change(step, name);
  }

  #change(step: Exclude<Step, { do: 'run' | 'outage' | 'create' }>, name: string): void {
    const { place } = step;
    if (step.do === 'edit') this.#write(place, name, step.text);
    else if (step.do === 'delete') this.#remove(place, name);
    else if (step.do === 'restore') this.#write(place, name, this.#of(place).removed.get(name) ?? 0);
    else if (step.do === 'restrict') this.#toggle(place, name);
    else if (step.do === 'move') this.#rename(place, name, movedName(name, step.to));
    else this.#rename(place, name, POSSIBLE_NAMES[step.to % POSSIBLE_NAMES.length] ?? name);
  }

  #remove(place: Place, name: string): void {
    const { edited, texts, removed } = this.#of(place);
    edited.remove(name);
    removed.set(name, texts.get(name) ?? 0);
    texts.delete(name);
  }

  #rename(place: Place, from: string, to: string): void {
    const { edited, texts } = this.#of(place);
    if (texts.has(to)) return;
    edited.rename(from, to);
    texts.set(to, texts.get(from) ?? 0);
    texts.delete(from);
  }

  #write(place: Place, name: string, text: number): void {
    const { edited, texts } = this.#of(place);
    edited.write(name, textOf(text));
    texts.set(name, text);
  }

  /** By the place itself where it knows who may read what, else by a rule of the configuration. */
  #toggle(place: Place, name: string): void {
    const { edited } = this.#of(place);
    if (edited.restrict !== undefined) edited.restrict(name);
    else if (!this.#restricted.delete(name)) this.#restricted.add(name);
  }

  get settings(): RAGSettingsInput {
    const named = [...this.#restricted].sort().map((name) => `/${name}`);
    const sources = new Map(this.places.map(({ source }) => [source.name, source]));
    return {
      sources: [...sources.values()],
      security: { access: { rules: [{ paths: ['secret/**', ...named], groups: ['staff'] }] } },
    };
  }

  /** How many documents there are. */
  get size(): number {
    return this.#texts.reduce((sum, texts) => sum + texts.size, 0);
  }

  /** Texts that are to be found, and how often, each with its source. */
  get texts(): string[] {
    return this.#texts
      .flatMap((texts, i) =>
        [...texts.values()].map((text) => `${this.places[i]?.source.name} ${textOf(text)}`),
      )
      .sort();
  }

  /** Names that a rule restricts to the staff, each with its source. */
  restrictedNames(sources: readonly string[]): string[] {
    const isRestricted = (name: string): boolean => name.startsWith('secret/') || this.#restricted.has(name);
    return this.#texts
      .flatMap((texts, i) => {
        const { name: source = '' } = this.places[i]?.source ?? {};
        return sources.includes(source)
          ? [...texts.keys()].filter(isRestricted).map((name) => `${source} ${name}`)
          : [];
      })
      .sort();
  }

  async close(): Promise<void> {
    for (const place of this.places) await place.close();
  }
}

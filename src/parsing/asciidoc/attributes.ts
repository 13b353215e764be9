import { ExpansionRoom } from '../expansion-room.js';

const REFERENCE = /\{([\w-]{1,60})\}/g;

/** Values that a document defines for its own text: `:name: value`, put in for `{name}`. */
export class Attributes {
  readonly #values = new Map<string, string>();
  readonly #room = new ExpansionRoom();

  /** A value may hold other ones; it is read as they are now. */
  define(name: string, value: string): void {
    this.#values.set(name.toLowerCase(), this.expand(value));
  }

  get(name: string): string | undefined {
    return this.#values.get(name);
  }

  /** What nothing is defined for stays. */
  expand(text: string): string {
    return text.replace(REFERENCE, (reference, name: string) => {
      const value = this.#values.get(name.toLowerCase());
      return value !== undefined && this.#room.take(value) ? value : reference;
    });
  }
}

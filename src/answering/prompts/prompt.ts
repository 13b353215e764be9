import { RAGError } from '../../core/errors.js';

/** A prompt of the engine. A change of its words is a change of `version`. */
export interface Prompt {
  readonly name: string;
  readonly version: number;
  /** Instructions. They never hold retrieved text. */
  readonly system: string;
  /** Instructions for a window that is too small for the others. */
  readonly shortSystem: string;
  /** The user's turn, with `{{name}}` where values go. */
  readonly user: string;
}

/** `answer@1` */
export const promptId = ({ name, version }: Prompt): string => `${name}@${version}`;

const PLACEHOLDER = /\{\{(\w+)\}\}/g;

/**
 * Fills a template in one pass, so that a value that holds `{{...}}` stays as it is.
 *
 * @throws RAGError `CONFIG_INVALID` for a placeholder without a value.
 */
export function renderPrompt(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(PLACEHOLDER, (_, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value !== undefined) return value;
    throw new RAGError(
      'CONFIG_INVALID',
      `A prompt asks for {{${name}}}, which does not exist; known are ${Object.keys(values).join(', ')}.`,
      { details: { placeholder: name } },
    );
  });
}

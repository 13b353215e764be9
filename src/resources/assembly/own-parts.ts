import { assertSdkVersion, isSdkLanguageModel, sdkModelId } from '../../answering/sdk-language-model.js';
import { CHUNKING_STRATEGIES } from '../../chunking/chunker.js';
import type { Plugins } from '../../config/plugins.js';
import type { ResolvedConfig } from '../../config/resolved-config.js';
import { PROVIDERS } from '../../config/schema/storage.js';
import type { ChatModel } from '../../core/chat-model.js';
import { RAGError } from '../../core/errors.js';

/** The same object, whose `close` does nothing: who made a part closes it. */
export function borrowed<T extends { close(): Promise<void> }>(part: T): T {
  return new Proxy(part, {
    get: (target, name) => {
      if (name === 'close') return async () => undefined;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/**
 * Refuses what would only fail later, once the configuration is known: names that would be taken for something else.
 *
 * @throws RAGError `USAGE`
 */
export function checkOwnParts(
  { store, chatModel, sources = [], chunkers = [] }: Plugins,
  config: ResolvedConfig,
): void {
  if (chatModel !== undefined && isSdkLanguageModel(chatModel)) assertSdkVersion(chatModel);
  if (store !== undefined && PROVIDERS.some((name) => name === store.name))
    throw refused(
      `The store that is handed in is called "${store.name}", as one of Ragstone's own: give it another name.`,
    );
  assertNames(
    'source',
    sources.map(({ name }) => name),
    config.rag.sources.map(({ name }) => name),
  );
  for (const { name } of sources) assertPlain('source', name, /^[\p{L}\p{N}][\p{L}\p{N}_. -]{0,63}$/u);
  assertNames(
    'chunker',
    chunkers.map(({ strategy }) => strategy),
    CHUNKING_STRATEGIES,
  );
  for (const { strategy } of chunkers) assertPlain('chunker', strategy, /^[A-Za-z0-9_-]{1,64}$/);
}

function assertNames(what: string, own: readonly string[], taken: readonly string[]): void {
  const seen = new Set(taken);
  for (const name of own) {
    if (seen.has(name))
      throw refused(`The ${what} that is handed in has the name of another one: "${name}". Give it its own.`);
    seen.add(name);
  }
}

function assertPlain(what: string, name: string, form: RegExp): void {
  if (form.test(name)) return;
  throw refused(
    `A ${what} that is handed in is called ${JSON.stringify(name)}: a name is 1 to 64 letters, digits, \`_\` or \`-\`.`,
  );
}

const refused = (message: string): RAGError => new RAGError('USAGE', message);

/** The language model that is handed in, with the settings of `rag.chat` where it is one of the AI SDK. */
export async function ownChatModel({ own, rag }: ResolvedConfig): Promise<ChatModel | undefined> {
  const model = own?.chatModel;
  if (model === undefined) return undefined;
  if (!isSdkLanguageModel(model)) return borrowed(model);
  const { openSdkChatModel } = await import('../../answering/providers/open-chat-model.js');
  const { model: _, ...settings } = rag.chat;
  return openSdkChatModel(model, settings);
}

/** Its name, as `ChatModel.id` will have it. */
export function ownChatModelId({ own }: ResolvedConfig): string | undefined {
  const model = own?.chatModel;
  if (model === undefined) return undefined;
  return isSdkLanguageModel(model) ? sdkModelId(model) : model.id;
}

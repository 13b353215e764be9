import type { ChatEvent, ChatMessage, ChatModel, ChatRequest } from '../../core/chat-model.js';

export type Script = (request: ChatRequest, asked: number) => string | Promise<string>;

/** Tokens of every call. */
export const CALL = { inputTokens: 100, outputTokens: 20 } as const;

/** A model that answers by a script, remembers what it was asked, and costs a tenth of a cent a call. */
export class FactModel implements ChatModel {
  readonly id: string;
  readonly contextWindow = 32_000;
  readonly asked: (readonly ChatMessage[])[] = [];
  readonly priceOf?: NonNullable<ChatModel['priceOf']>;
  script: Script;

  constructor(
    script: Script = readsServices,
    { id = 'scripted:facts', isPriced = true }: { readonly id?: string; readonly isPriced?: boolean } = {},
  ) {
    this.id = id;
    this.script = script;
    if (isPriced) this.priceOf = ({ inputTokens, outputTokens }) => (inputTokens + outputTokens) / 120_000;
  }

  async *stream(request: ChatRequest): AsyncGenerator<ChatEvent> {
    this.asked.push(request.messages);
    yield { type: 'text', text: await this.script(request, this.asked.length) };
    yield { type: 'finish', reason: 'stop', usage: CALL };
  }

  generateObject(): never {
    throw new Error('facts are read out of text');
  }

  async close(): Promise<void> {}
}

/** The last block of what is asked: the passage. */
export const passageIn = ({ messages }: ChatRequest): string => {
  const blocks = messages[1]?.content.split(/<passage [^>]*>\n?/) ?? [];
  return blocks.at(-1)?.split('</passage')[0] ?? '';
};

/** Whether it is asked for a summary. */
export const isSummary = ({ messages }: ChatRequest): boolean =>
  messages[0]?.content.startsWith('You summarise') === true;

const NAME = /\b[A-Z][a-z]+ (?:Service|Database|Team)\b/g;
const RELATION = /\b([A-Z][a-z]+ \w+) (uses|calls|owns) the ([A-Z][a-z]+ \w+)/g;

/** Reads names of services and who uses whom, and summarises from the first block. */
export const readsServices: Script = (request) => {
  if (isSummary(request))
    return JSON.stringify({
      title: 'How it hangs together',
      sentences: [
        { text: 'They use each other.', sources: [1] },
        { text: 'Nobody says this.', sources: [] },
      ],
    });
  const text = passageIn(request);
  return JSON.stringify({
    entities: [...new Set(text.match(NAME))].map((name) => ({
      name,
      type: 'system',
      description: 'It is there.',
    })),
    relations: [...text.matchAll(RELATION)].map(([evidence, from, label, to]) => ({
      from,
      label,
      to,
      evidence,
    })),
  });
};

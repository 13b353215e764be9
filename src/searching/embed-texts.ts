import type { Scope } from '../core/scope.js';
import { embedAll } from '../embedding/embed-all.js';
import type { EmbeddedTexts, EmbedRequest } from '../operations/engine.js';
import type { EngineResources } from '../resources/engine-resources.js';

/** Vectors by the model of the live index, so that they are comparable with what it holds; before the first run, by the configured one. */
export async function embedTexts(
  { texts, kind = 'document', signal }: EmbedRequest,
  scope: Scope,
  resources: EngineResources,
): Promise<EmbeddedTexts> {
  const live = await resources.ledger.live();
  const loaded =
    live === undefined ? await resources.models.embedder() : await resources.models.embedderOf(live.facts);
  const embedder =
    kind === 'query' && live !== undefined
      ? await loaded.forQueries(live.facts, live.ledger, scope)
      : loaded.embedder;
  const { vectors } = await embedAll(embedder, texts, kind, {
    cache: loaded.cache,
    owner: askerOf(scope),
    ...(signal === undefined ? {} : { signal }),
  });
  return { model: embedder.identity.model, dimensions: embedder.dimensions, vectors };
}

/** What is kept is found by the same asker alone: the time of an answer would tell others that a text is indexed, or was asked for. */
const askerOf = ({ tenant, project, groups, clearance }: Scope): string =>
  JSON.stringify(['asker', tenant, project ?? null, [...groups].sort(), clearance]);

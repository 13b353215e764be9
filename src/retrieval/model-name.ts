/**
 * The part of a model key that names the model wherever its files lie: `transformers:/models/all-MiniLM-L6-v2` and
 * `transformers:Xenova/all-MiniLM-L6-v2` are `all-minilm-l6-v2`, `builtin` is `builtin`.
 */
export function modelNameOf(modelKey: string): string {
  return (
    modelKey
      .split(/[/\\:]/)
      .filter((part) => part !== '')
      .at(-1) ?? ''
  ).toLowerCase();
}

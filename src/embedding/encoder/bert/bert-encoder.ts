import { EncoderLayers } from '../kernel/encoder-layers.js';
import type { BertNetwork, Dense } from './bert-network.js';

/** A BERT network that reads one text, or pair of texts, at a time. */
export class BertEncoder {
  readonly #network: BertNetwork;
  readonly #layers: EncoderLayers;

  constructor(network: BertNetwork) {
    this.#network = network;
    this.#layers = new EncoderLayers(network);
  }

  /**
   * The vectors of the last layer, one a token; they are valid until the next call.
   *
   * @param ids special tokens included, as many as the network has places at most
   * @param second where the second text of a pair begins
   */
  encode(ids: Int32Array, second = ids.length): Float32Array {
    const { width, words, places, norm, secondType } = this.#network;
    const { values, zero, scales } = words;
    const state = this.#layers.floats(this.#layers.state, ids.length * width);
    for (const [i, id] of ids.entries()) {
      const scale = scales[scales.length === 1 ? 0 : id] ?? 0;
      const type = i < second ? undefined : secondType;
      for (let d = 0; d < width; d++)
        state[i * width + d] = ((values[id * width + d] ?? 0) - zero) * scale + (type?.[d] ?? 0);
    }
    this.#layers.normalise(places, ids.length, norm);
    this.#layers.run(ids.length);
    return state;
  }

  /** The logits that a sequence classifier gives a pair; see `encode`. None of a network without a head. */
  classify(ids: Int32Array, second: number): Float32Array {
    const { head, width } = this.#network;
    if (head === undefined) return new Float32Array(0);
    const first = this.encode(ids, second).subarray(0, width);
    return project(head.classifier, project(head.pooler, first).map(Math.tanh));
  }
}

function project({ rows, bias }: Dense, vector: Float32Array): Float32Array {
  return bias.map((sum, output) =>
    vector.reduce((total, value, d) => total + value * (rows[output * vector.length + d] ?? 0), sum),
  );
}

import { EncoderLayers } from '../kernel/encoder-layers.js';
import type { BertNetwork } from './bert-network.js';

/** A BERT network that reads one text at a time. */
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
   * @param secondFrom where tokens of the second type begin. @default there are none
   */
  encode(ids: Int32Array, secondFrom = ids.length): Float32Array {
    const { width, words, places, norm, secondType } = this.#network;
    const { values, zero, scales } = words;
    const state = this.#layers.floats(this.#layers.state, ids.length * width);
    for (const [i, id] of ids.entries()) {
      const scale = scales[scales.length === 1 ? 0 : id] ?? 0;
      const second = i >= secondFrom ? secondType : undefined;
      for (let d = 0; d < width; d++)
        state[i * width + d] = ((values[id * width + d] ?? 0) - zero) * scale + (second?.[d] ?? 0);
    }
    this.#layers.normalise(places, ids.length, norm);
    this.#layers.run(ids.length);
    return state;
  }

  /** Logits of a text, by a network that has a classifier. */
  classify(ids: Int32Array, secondFrom?: number): Float32Array {
    const { width, classifier } = this.#network;
    if (classifier === undefined) throw new Error('the network has no classifier');
    const first = this.encode(ids, secondFrom).slice(0, width);
    const pooled = this.#layers.projectVector(classifier.pooler, first).map(Math.tanh);
    return this.#layers.projectVector(classifier.logits, pooled).slice(0, classifier.outputs);
  }
}

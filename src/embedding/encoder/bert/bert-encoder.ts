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
   */
  encode(ids: Int32Array): Float32Array {
    const { width, words, places, norm } = this.#network;
    const { values, zero, scales } = words;
    const state = this.#layers.floats(this.#layers.state, ids.length * width);
    for (const [i, id] of ids.entries()) {
      const scale = scales[scales.length === 1 ? 0 : id] ?? 0;
      for (let d = 0; d < width; d++) state[i * width + d] = ((values[id * width + d] ?? 0) - zero) * scale;
    }
    this.#layers.normalise(places, ids.length, norm);
    this.#layers.run(ids.length);
    return state;
  }
}

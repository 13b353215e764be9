/** A file as it was when its model was chosen. */
export interface PinnedFile {
  readonly bytes: number;
  readonly sha256: string;
}

/** A model that `ragstone model use` knows by its name. */
export interface RecommendedModel {
  readonly name: string;
  /** On the Hugging Face hub. */
  readonly id: string;
  readonly languages: string;
  readonly megabytes: number;
  readonly purpose: string;
  /** It reranks, and makes no vectors. */
  readonly isReranker?: true;
  /** Its commit and files; absent where whatever the hub has is taken, and its hash pinned then. */
  readonly pinned?: {
    readonly revision: string;
    readonly files: Readonly<Record<string, PinnedFile>>;
    /** Word pieces that it was trained on, which the repository does not say. */
    readonly maxInputTokens: number;
  };
}

export const NETWORK_FILE = 'onnx/model_quantized.onnx';

export const RECOMMENDED_MODELS: readonly RecommendedModel[] = [
  {
    name: 'all-MiniLM-L6-v2',
    id: 'Xenova/all-MiniLM-L6-v2',
    languages: 'English',
    megabytes: 24,
    purpose: 'the first one to try: questions in other words than the text',
    pinned: {
      revision: '751bff37182d3f1213fa05d7196b954e230abad9',
      maxInputTokens: 256,
      files: {
        'config.json': {
          bytes: 650,
          sha256: '7135149f7cffa1a573466c6e4d8423ed73b62fd2332c575bf738a0d033f70df7',
        },
        'tokenizer_config.json': {
          bytes: 366,
          sha256: '9261e7d79b44c8195c1cada2b453e55b00aeb81e907a6664974b4d7776172ab3',
        },
        'tokenizer.json': {
          bytes: 711_661,
          sha256: 'da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0',
        },
        [NETWORK_FILE]: {
          bytes: 22_972_370,
          sha256: 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1',
        },
      },
    },
  },
  {
    name: 'multilingual-e5-small',
    id: 'Xenova/multilingual-e5-small',
    languages: 'many',
    megabytes: 135,
    purpose: 'questions in one language over text in another',
  },
  {
    name: 'ms-marco-MiniLM-L6-v2',
    id: 'Xenova/ms-marco-MiniLM-L-6-v2',
    languages: 'English',
    megabytes: 24,
    purpose: 'a reranker, which reads question and passage together; no new index',
    isReranker: true,
  },
];

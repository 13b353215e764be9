import { unmask } from './unmask.js';

/** One kind of evidence that a sentence is an order to a language model. */
interface Signal {
  readonly name: string;
  readonly weight: number;
  readonly pattern: RegExp;
  /** Looked for inside quotation marks and code spans too. */
  readonly raw?: boolean;
}

const MODEL =
  '(?:assistants?|chat ?bots?|bots?|co-?pilots?|(?:language|ai|chat) models?|models?(?= (?:shall|must|should|has to|have to|reading|will))|llms?|ais?|a\\.i\\.|ai (?:systems?|agents?|tools?|summar(?:y|ies)|readers?)|gpt|claude|gemini|copilot|agents?(?= (?:shall|must|should|reading))|automated (?:systems?|readers?|tools?|agents?)|automatic (?:readers?|systems?)|machine readers?|(?:readers? and )?(?:tools|systems) (?:that|which) (?:read|summari[sz]e|process)|summari[sz]ers?)';
const REPLY =
  '(?:answers?|repl(?:y|ies)|responses?|outputs?|summar(?:y|ies)|messages?|completions?|conversations?)';
const ORDER =
  '(?:answer|reply|respond|write|print|say|state|include|add|append|begin|start|open|end|finish|close|prefix|put|output|emit|mention|present|show|reveal|list|name|insert|return|claim|tell|greet|repeat|replace|use|give|offer|acknowledge|serve|call|send|render|copy|quote|explain|describe|recommend|sign|translate|forget|ignore|skip|omit|hide)';
const MUST =
  "(?:must|shall|should|has to|have to|is to|are to|needs? to|will|always|never|please|do not|don't)";
const CITATION = '(?:citations?|footnotes?|numbers in brackets|\\[\\d{1,3}\\]|\\[n\\])';

const pattern = (source: string): RegExp => new RegExp(source, 'i');

/**
 * What orders to a model have in common, whatever their topic. Each weight says how much the signal alone tells; a unit is
 * flagged from `FLAG_THRESHOLD` (3) up. English; of ten other languages the commonest orders.
 */
const SIGNALS: readonly Signal[] = [
  {
    name: 'override',
    weight: 3,
    pattern: pattern(
      `\\b(?:ignore|disregard|forget|override|overrule|replaces?|outranks?|supersedes?|discard|drop)\\b.{0,30}\\b(?:previous|prior|earlier|above|preceding|former|existing|system|all|your|other|any)\\b.{0,30}(?:\\b(?:instructions?|rules?|prompts?|polic(?:y|ies)|directions?|directives?|orders|guidelines|messages?|ones|settings)\\b|\\babove\\b)`,
    ),
  },
  {
    name: 'override',
    weight: 2.5,
    pattern: pattern(
      '\\b(?:ignore|disregard|forget)\\b (?:everything|anything|all|what)\\b|\\bprecedence over\\b.{0,30}\\b(?:settings|instructions?|prompts?|rules?|polic)|outranks? the (?:system|prompt)',
    ),
  },
  { name: 'addressee', weight: 1.5, pattern: pattern(`\\b${MODEL}\\b`) },
  {
    name: 'addressee',
    weight: 1,
    pattern: pattern(
      `\\b(?:any|every|all|each|the|to|for|dear|note to|friendly|helpful)\\s+(?:\\w+ )?${MODEL}\\b|\\b${MODEL}\\s+(?:reading|answering|processing|that (?:reads?|process|answers?|summari[sz]es?|may read)|who read|within)|^\\W*${MODEL}\\s*:`,
    ),
  },
  {
    name: 'order',
    weight: 1,
    pattern: pattern(
      `\\b${MUST}\\b.{0,25}\\b${ORDER}\\b|(?:^|[.:;!?,"”(|>-]\\s*|\\b(?:then|and|but|please|to)\\s+)(?:always |never |only |also |exactly )?${ORDER}\\b`,
    ),
  },
  {
    name: 'reply',
    weight: 1,
    pattern: pattern(
      `\\b(?:the|your|each|every|any|all|its|their|in|this|chat|complete|entire|next|final|two|in the)\\s+(?:\\w+ ){0,2}${REPLY}\\b|\\b${ORDER}\\b.{0,20}\\b(?:users?|readers?|people|the person|customers?)\\b|\\b(?:in|of|as|with|to)\\s+(?:your|each|every|any)\\s+(?:\\w+ )?${REPLY}`,
    ),
  },
  {
    name: 'scope',
    weight: 1.5,
    pattern: pattern(
      `\\b(?:each|every|any|all|your next)\\s+(?:\\w+ ){0,2}${REPLY}\\b|\\b(?:until the end of|for the rest of|remainder of|current|this)\\s+(?:the |this )?(?:session|conversation|chat)\\b|\\bfrom (?:now|here) on\\b|\\bbefore (?:you|they) (?:answer|reply|respond)\\b|\\bwhen(?:ever)? (?:you|someone|anyone|a user|somebody|asked)\\b.{0,30}\\b(?:summari[sz]e|asks?|answer|asked)\\b|\\bwhen you summari[sz]e\\b`,
    ),
  },
  {
    name: 'role',
    weight: 2.5,
    pattern: pattern(
      '<\\|\\w+\\|>|\\[/?INST\\]|<</?SYS>>|(?:^|\\n)\\W{0,3}\\(?/?(?:system|developer)(?: (?:notice|message|note|prompt|update|override|instruction))?\\)?\\s*(?:\\([^)]{0,30}\\))?\\s*[:>]|["\']?role["\']?\\s*:\\s*["\']?(?:system|assistant|developer)|\\(system\\)|(?<![\\w>])<(?:system|assistant|result|tool\\w*|function\\w*)\\b(?![<!])|###\\s*(?:system|instruction)',
    ),
    raw: true,
  },
  {
    name: 'role',
    weight: 1.5,
    pattern: pattern(
      '(?:^|\\n)\\W{0,3}(?:assistant|answer|ai|model)\\s*:\\s|\\b(?:end|begin(?:ning)?|start) of (?:the )?(?:sources?|documents?|context|system|hidden|instructions?|prompt)\\b|\\b(?:assistant|model) has finished\\b|\\bnew task\\b|\\b(?:sources?|context) continue',
    ),
    raw: true,
  },
  {
    name: 'persona',
    weight: 2.5,
    pattern: pattern(
      "\\b(?:you are (?:now|no longer|captain|an? (?:pirate|unrestricted|free|different|helpful))|developer mode|jailbreak|stay in character|let's play (?:a game|pretend)|pretend (?:that )?(?:you|to be)|act as (?:if|an?|the)|answer as \\S+|imagine (?:an?|that|you)\\b.{0,60}\\b(?:knows|answers?|who|are)|role[- ]?play)\\b",
    ),
  },
  {
    name: 'secrecy',
    weight: 1.5,
    pattern: pattern(
      "\\b(?:do not|don't|never|must not|without|keep)\\b.{0,15}\\b(?:reveal|mention|tell|disclose|say|explain|quiet|secret|silent|mentioning|telling|saying)\\b|\\bsilent(?:ly)?\\s*=|\\bas if it were your own\\b|\\bdo not (?:cite|name) (?:any|its|the|this)\\b|must not mention",
    ),
  },
  {
    name: 'citations',
    weight: 2,
    pattern: pattern(
      `\\b(?:no|without|omit|drop|skip|replace|remove|stop|left?|leave|never|not|instead of|in place of)\\b.{0,30}(?:\\b|(?=\\[))(?:cit(?:e|ing|ations?)|${CITATION})|\\bsources?\\s*[=:]\\s*(?:off|none|false|no)\\b|\\b(?:citations|references)\\s*=\\s*(?:off|false|none|no)|\\[\\d{1,3}\\] (?:proves|shows|says|confirms|states)|\\bsource \\[\\d|\\bput \\[\\d|\\bfootnote \\[\\d|\\bhow to cite\\b`,
    ),
  },
  {
    // What is cited, but also what any text may leave out or replace.
    name: 'citations',
    weight: 1,
    pattern: pattern(
      '\\b(?:no|without|omit|drop|skip|replace|remove|stop|leave|never|not|instead of|in place of)\\b.{0,30}\\b(?:sources?|references?)\\b',
    ),
  },
  {
    name: 'disclosure',
    weight: 2.5,
    pattern: pattern(
      "\\b(?:system prompt|(?:complete|full|entire|your|own) instructions|working memory|context (?:window|documents)|retrieved (?:chunks?|items?|documents|passages|text)|(?:passages|documents|text|contents?) of (?:the|all) (?:other )?(?:sources?|documents|context)|other (?:persons?|users?|customers?|tenants?)['’]? documents|every other source|all (?:the )?(?:context|retrieved|other) (?:documents|passages|texts)|each text it was given|text of all|everything the user|what(?:ever)? you know about|all (?:the )?(?:documents|sources) (?:you|that you) (?:can see|were given|have)|restricted ones)\\b",
    ),
    raw: true,
  },
  {
    name: 'tenant',
    weight: 2,
    pattern: pattern(
      '\\b(?:switch|change[ds]?|set|reassigned|answer|continue|work|act|serve|stay)\\b.{0,40}\\b(?:tenant|workspace|scope)\\b|\\btenant(?:_scope|_id|_override)?\\s*[:=]|\\bset_tenant\\b|\\bcustomer has been replaced\\b',
    ),
  },
  {
    name: 'tenant',
    weight: 1,
    pattern: pattern(
      '\\b(?:switch|change[ds]?|set|reassigned|continue|work|act|serve|stay)\\b.{0,30}\\b(?:as|to|for|of)\\b.{0,20}\\b(?:project|customer)\\b',
    ),
  },
  {
    name: 'exfiltration',
    weight: 2.5,
    pattern:
      /https?:\/\/\S*[?&][\w.-]+=(?:<|\{|\[|[A-Z]{3,}(?:_[A-Z]+)+|[A-Z]{6,}\b)|\burl-?encoded\b|\b(?:[Ff]ill(?:ed)?|[Ss]ubstitut(?:e|ed|ing)|[Rr]eplac(?:e|ing))\b.{0,30}\b(?:braces|placeholders?)\b|\b[Pp]laceholders?\b.{0,20}\b(?:filled|substituted|replaced)\b/,
    raw: true,
  },
  {
    // That a sentence with an order holds an address is common: the order is counted for itself.
    name: 'link',
    weight: 0.5,
    pattern: pattern(`\\b(?:${ORDER}|concatenate|visit|open|click|register)\\b.{0,60}https?://`),
    raw: true,
  },
  {
    name: 'link',
    weight: 1.5,
    pattern: pattern(
      '\\b(?:include|insert|add|mention|present|show|render)\\b.{0,40}\\b(?:link|image|picture|button|url)\\b.{0,30}\\b(?:answer|reply|summary|response|shape|each|every)',
    ),
    raw: true,
  },
  {
    name: 'quote',
    weight: 1,
    pattern: pattern(
      '\\b(?:print|say|write|output|answer|reply|begin|start|prefix|end|finish|sign|emit|marker?|greet|state|word)\\b.{0,30}(?:\\bexactly\\b|\\bthe (?:word|marker|text|phrase|sentence|line|code)\\b|\\bwith ["“«\']?[A-Za-z0-9-]*\\d)|\\bverbatim\\b|\\bword for word\\b|\\bprefix (?:their|your|its|the|all|each) ',
    ),
  },
  {
    name: 'trigger',
    weight: 2,
    pattern: pattern(
      `^\\W*(?:if|when(?:ever)?|should|once)\\b.{0,80}\\b(?:question|conversation|user|reader|someone|anyone|person|asked|asks)\\b.{0,120}\\b(?:then|reply|answer|name|say|give|state|write|respond|keep quiet|tell|add|show)\\b|\\btrigger (?:rule|word|phrase)|\\bTHEN answer\\b`,
    ),
  },
  {
    name: 'machine-field',
    weight: 3,
    pattern: pattern(
      '(?:^|\\n)\\W*@?(?:(?:ai|assistant|llm|bot|model|chatbot|prompt|system|agent|summary|copilot)[_-](?:context|instructions?|directives?|override|prompt|rules?|notes?|hints?|polic(?:y|ies))|tenant_scope|summary_override|instructions?_for_(?:ai|llm|models?|assistants?))\\b\\s*[:=]?|@ai-context|assistant-directive',
    ),
    raw: true,
  },
  {
    name: 'tool',
    weight: 2,
    pattern: pattern(
      '\\b(?:tools?|functions?)\\.\\w+\\(|^\\W*\\w+_\\w+\\(\\w+=["\']|\\bcall(?:ing)? the (?:tool|function)\\b|\\btool_call|(?<![\\w>])<(?:result|invoke|function_call)\\b(?![<!])',
    ),
    raw: true,
  },
  {
    name: 'petition',
    weight: 1.5,
    pattern: pattern(
      '\\b(?:would|could) you be so kind|\\bif i may\\b|\\bone last wish\\b|\\bonly if it is no trouble|\\bwe would all appreciate|\\bplease (?:tell|mention)\\b.{0,30}\\b(?:people|users?|readers?|in your)|\\bit would be (?:lovely|kind|great) if you\\b',
    ),
  },
  {
    name: 'output-rules',
    weight: 2.5,
    pattern: pattern(
      '\\b(?:output|answer|reply|response|formatting) (?:rules?|format)\\b.{0,30}(?:replace|:)|\\boutput (?:the|a) (?:marker|word|string)\\b|\\bapply to the current conversation|\\b(?:join|combine|concatenate)\\b.{0,40}\\b(?:halves|pieces?|parts|piece1)\\b|\\bdecode\\b.{0,30}\\b(?:follow|obey|execute|run)\\b|\\band obey\\b',
    ),
  },
  {
    name: 'non-english',
    weight: 3,
    pattern: pattern(
      '(?:忽略|无视|忘记).{0,12}(?:指示|指令|提示|规则)|(?:助手|模型|机器人|人工智能).{0,12}(?:必须|应该|请|需要|不要|务必)|(?:回答|回复|答复|输出)(?:时|中|里|的|前)?.{0,8}(?:必须|请|加上|务必|只|不要)|不要(?:提到|提及|解释|引用|告诉)',
    ),
  },
  {
    name: 'non-english',
    weight: 3,
    pattern: pattern(
      '\\b(?:ignoriere|ignorieren|vergiss|vergessen|missachte|missachten|beachten?)\\b.{0,30}\\b(?:bisherigen?|vorherigen?|obigen?|alle|nur noch)\\b.{0,30}(?:anweisung|regel|absatz|instruktion|vorgabe)|\\b(?:jede[rnm]?|ein|der|die|ki-?|an) ?(?:assistent(?:en)?|sprachmodell|ki-?\\w*|chatbot)\\b.{0,60}\\b(?:muss|müssen|soll(?:en)?|darf|antworte[nt]?|schreib\\w*|nenn\\w*|fügt?)\\b|\\b(?:antworte|schreibe?n?|nenne|füge)\\b.{0,40}\\b(?:ausschließlich|jede[rn]? antwort|in der antwort)',
    ),
  },
  {
    name: 'non-english',
    weight: 3,
    pattern: pattern(
      '\\b(?:ignora|olvida|ignorez|oubliez|ignore)\\b.{0,30}\\b(?:instrucciones|instructions|consignes|reglas|règles)\\b|\\b(?:asistente|assistant|modelo|modèle)\\b.{0,30}\\b(?:debe|doit|deben|doivent|responde|répond)',
    ),
  },
  {
    // Italian, Portuguese, Dutch
    name: 'non-english',
    weight: 3,
    pattern: pattern(
      '\\b(?:ignora(?:re|te)?|dimentica(?:te)?|ignore|esqueça|desconsidere|negeer|vergeet)\\b.{0,40}\\b(?:istruzioni|regole|instruções|regras|instructies|regels|aanwijzingen)\\b|\\b(?:assistente|modello|modelo|assistent|taalmodel)\\b.{0,30}\\b(?:deve|devono|devem|moet|moeten)\\b',
    ),
  },
  {
    // Russian, Japanese, Korean
    name: 'non-english',
    weight: 3,
    pattern:
      /(?:игнорируй|забудь|не обращай внимания).{0,40}(?:инструкци|указани|правил)|(?:ассистент|модель|помощник).{0,30}(?:должен|должна|обязан|отвечай)|(?:指示|命令|ルール|規則).{0,8}(?:無視|忘れ)|(?:アシスタント|モデル|AI).{0,12}(?:必ず|してください|しなければ|べき)|(?:지시|명령|규칙).{0,10}(?:무시|잊)|(?:어시스턴트|모델|챗봇).{0,12}(?:해야|하십시오|하세요)/iu,
  },
];

/** Reported speech and examples: who writes about orders does not give one. */
const ABOUT = pattern(
  '\\b(?:attackers?|attacks?|injections?|phishing|for (?:example|instance)|such as|e\\.g\\.|was told|someone asked whether|we (?:tell|told|ask|found|test)|people (?:write|try)|users? (?:write|try|type)|training set|called|means|looks? like|tries|refused|detect(?:s|ed|or)?|red team)\\b|\\bwie\\b.{0,20}aussehen|\\bnicht\\b.{0,20}anweisung|folgen sie diesen anweisungen nicht|^\\s*>',
);
const ABOUT_WEIGHT = 2;

const QUOTATION = /"[^"\n]{0,400}"|“[^”\n]{0,400}”|„[^“”\n]{0,400}[“”]|«[^»\n]{0,400}»|`[^`\n]{0,400}`/g;

/** What a text quotes is not what it says; the marks stay. */
const withoutQuotations = (text: string): string => text.replace(QUOTATION, '""');

const MOST_LOOKED_AT = 4_000;

/** How strongly one unit of text reads like an order to a language model, and by which signals. Linear in its length. */
export function addressesModel(original: string): { score: number; signals: string[] } {
  const { text, decoded, hiddenCharacters, mixedScriptWords } = unmask(original.slice(0, MOST_LOOKED_AT));
  const fired = new Map<string, number>();
  const add = (name: string, weight: number): void => {
    fired.set(name, (fired.get(name) ?? 0) + weight);
  };
  const spoken = withoutQuotations(text);
  for (const { name, weight, pattern: signal, raw } of SIGNALS) {
    if (signal.test(raw === true ? text : spoken)) add(name, weight);
  }
  const open = [...fired.values()].reduce((sum, weight) => sum + weight, 0);
  if (decoded.some((hidden) => plainScore(hidden) >= 2)) add('encoded', 3);
  if (mixedScriptWords >= 3) add('look-alikes', 3);
  if (hiddenCharacters >= 3 && open >= 1) add('hidden', 2);
  if (/^<!--/.test(text.trim()) && open >= 2.5) add('hidden', 2);
  if (ABOUT.test(text)) add('about', -ABOUT_WEIGHT);
  const score = [...fired.values()].reduce((sum, weight) => sum + weight, 0);
  const signals = [...fired]
    .sort((a, b) => b[1] - a[1])
    .flatMap(([name, weight]) => (weight > 0 ? [name] : []));
  return { score, signals };
}

const plainScore = (text: string): number =>
  SIGNALS.reduce((sum, { weight, pattern: signal }) => sum + (signal.test(text) ? weight : 0), 0);

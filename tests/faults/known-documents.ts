/** Who asks: a tenant and groups, with the key that stands for them. */
export interface Caller {
  readonly name: string;
  readonly tenant: string;
  readonly groups: readonly string[];
  readonly key: string;
}

/** What became of a document by one write: who may read it from then on; undefined where it was deleted. */
interface Version {
  readonly number: number;
  readonly groups: readonly string[] | undefined;
  readonly sentAt: number;
  acknowledgedAt: number | undefined;
}

const TOKEN = /ver-([a-z]+)-(\d+)-(\d+)/g;

/**
 * What was written, and what was acknowledged, of every document, so that any response can be held against it. Each text holds a token that
 * tells tenant, document and version, wherever it is shown.
 */
export class KnownDocuments {
  readonly #versions = new Map<string, Version[]>();

  /** Of a new version that is about to be sent. */
  begin(tenant: string, document: number, groups: readonly string[] | undefined, now: number) {
    const key = `${tenant} ${document}`;
    const versions = this.#versions.get(key) ?? [];
    this.#versions.set(key, versions);
    const version: Version = { number: versions.length, groups, sentAt: now, acknowledgedAt: undefined };
    versions.push(version);
    return {
      token: `ver-${tenant}-${document}-${version.number}`,
      acknowledge: (at: number) => {
        version.acknowledgedAt = at;
      },
    };
  }

  /** What a response that was asked for and given between two moments shows and must not. */
  violations(
    text: string,
    caller: Caller,
    { from, to }: { readonly from: number; readonly to: number },
  ): string[] {
    const problems: string[] = [];
    for (const [token, tenant = '', document = '', number = ''] of text.matchAll(TOKEN)) {
      const versions = this.#versions.get(`${tenant} ${document}`) ?? [];
      const version = versions[Number(number)];
      if (tenant !== caller.tenant) problems.push(`${caller.name} was shown ${token} of another tenant`);
      else if (version?.groups === undefined) problems.push(`${token} was never written`);
      else if (!isFor(version.groups, caller))
        problems.push(`${caller.name} was shown ${token}, which is not for its groups`);
      else if (version.sentAt > to) problems.push(`${token} was shown before it was written`);
      else if (
        versions.slice(version.number + 1).some(({ acknowledgedAt = Infinity }) => acknowledgedAt < from)
      )
        problems.push(
          `${caller.name} was shown ${token}, which an acknowledged write had replaced or deleted: ${told(versions, from)}`,
        );
    }
    return problems;
  }

  /** Documents of which it is sure what a caller finds: the number of each, and the token, or undefined where there is none for it. */
  sureFor(caller: Caller): { readonly document: number; readonly token: string | undefined }[] {
    return [...this.#versions].flatMap(([key, versions]) => {
      const [tenant = '', document = ''] = key.split(' ');
      const last = versions.at(-1);
      if (tenant !== caller.tenant || last?.acknowledgedAt === undefined) return [];
      const isShown = last.groups !== undefined && isFor(last.groups, caller);
      return [
        {
          document: Number(document),
          token: isShown ? `ver-${tenant}-${document}-${last.number}` : undefined,
        },
      ];
    });
  }
}

const isFor = (groups: readonly string[], caller: Caller): boolean =>
  groups.some((group) => caller.groups.includes(group));

/** Writes of a document, for people: when each was sent and answered, in milliseconds before a response was asked for. */
const told = (versions: readonly Version[], from: number): string =>
  versions
    .map(({ number, groups, sentAt, acknowledgedAt }) => {
      const what = groups === undefined ? 'deletion' : `push for ${groups.join(' and ')}`;
      const end = acknowledgedAt === undefined ? 'failed' : `done ${Math.round(from - acknowledgedAt)}`;
      return `${number} ${what} (sent ${Math.round(from - sentAt)}, ${end})`;
    })
    .join(', ');

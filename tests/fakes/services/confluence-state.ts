/** A page of a fake site. */
export interface FakePage {
  readonly id: string;
  readonly spaceKey: string;
  title: string;
  body: string;
  version: number;
  /** ISO-8601. */
  modified: string;
  parentId?: string;
  labels: string[];
  /** Groups and users that may read; absent where nothing is restricted. */
  readers?: { groups: string[]; users: string[] };
  comments: { id: string; version: number; body: string; modified: string }[];
  attachments: { id: string; title: string; mediaType: string; version: number; content: string }[];
}

/** Who may view a space; `untold`: the account may not see its permissions. */
export interface FakeSpaceReaders {
  groups: string[];
  users: string[];
  isAnonymous?: boolean;
}

export interface FakeSpace {
  readonly id: string;
  readonly key: string;
  readers: FakeSpaceReaders | 'untold';
}

/** What a fake Confluence site holds; tests change it while it is read. */
export class ConfluenceState {
  readonly pages = new Map<string, FakePage>();
  readonly spaces: readonly FakeSpace[];
  /** Resources that an older site lacks. */
  readonly missing = new Set<'permissions' | 'expanded permissions' | 'groups' | 'members' | 'memberships'>();
  /** Members by names of groups; a group that is absent has none. */
  readonly members = new Map<string, readonly string[]>();
  #clock = Date.parse('2026-01-01T00:00:00.000Z');
  #ids = 1000;

  constructor(spaceKeys: readonly string[] = ['OPS']) {
    this.spaces = spaceKeys.map((key, index) => ({
      id: String(index + 1),
      key,
      readers: { groups: ['staff'], users: [] },
    }));
  }

  /** The site's time; each change is a minute later than the one before. */
  get now(): Date {
    return new Date(this.#clock);
  }

  advance(milliseconds: number): void {
    this.#clock += milliseconds;
  }

  addPage(page: Partial<Omit<FakePage, 'id'>> = {}): FakePage {
    const id = String(this.#ids++);
    const made: FakePage = {
      id,
      spaceKey: this.spaces[0]?.key ?? 'OPS',
      title: `Page ${id}`,
      body: `<p>Text of page ${id}.</p>`,
      version: 1,
      modified: this.#tick(),
      labels: [],
      comments: [],
      attachments: [],
      ...page,
    };
    this.pages.set(id, made);
    return made;
  }

  edit(page: FakePage, body: string): void {
    page.body = body;
    page.version++;
    page.modified = this.#tick();
  }

  comment(page: FakePage, body: string): void {
    page.comments.push({ id: String(this.#ids++), version: 1, body, modified: this.#tick() });
  }

  remove(page: FakePage): void {
    this.pages.delete(page.id);
  }

  /** Pages above, outermost first. */
  above(page: FakePage): FakePage[] {
    const parent = page.parentId === undefined ? undefined : this.pages.get(page.parentId);
    return parent === undefined ? [] : [...this.above(parent), parent];
  }

  #tick(): string {
    this.#clock += 60_000;
    return new Date(this.#clock).toISOString();
  }
}

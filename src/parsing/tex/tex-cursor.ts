/** A place in LaTeX, and what is taken from there. */
export class TexCursor {
  protected at = 0;

  constructor(readonly text: string) {}

  protected skipBlanks(): void {
    while (/[^\S\n]/.test(this.text.charAt(this.at))) this.at += 1;
  }

  /** The content of an environment, those of its name in it included. */
  protected until(name: string): string {
    const marks = new RegExp(`\\\\(begin|end)\\{${name.replace(/[^\w]/g, '\\$&')}\\}`, 'g');
    marks.lastIndex = this.at;
    let depth = 1;
    for (let mark = marks.exec(this.text); mark !== null; mark = marks.exec(this.text)) {
      depth += mark[1] === 'begin' ? 1 : -1;
      if (depth > 0) continue;
      const content = this.text.slice(this.at, mark.index);
      this.at = marks.lastIndex;
      return content;
    }
    const content = this.text.slice(this.at);
    this.at = this.text.length;
    return content;
  }

  /** What stands in braces behind a command, or its next letter. */
  protected argument(): string {
    while (/\s/.test(this.text.charAt(this.at))) this.at += 1;
    if (this.text.charAt(this.at) !== '{') {
      const command = /^\\[a-zA-Z]+|^[\s\S]?/.exec(this.text.slice(this.at, this.at + 40))?.[0] ?? '';
      this.at += command.length;
      return command;
    }
    return this.enclosed('{', '}');
  }

  /** What stands in brackets behind a command. */
  protected optional(): string {
    return this.text.charAt(this.at) === '[' ? this.enclosed('[', ']') : '';
  }

  private enclosed(open: string, close: string): string {
    const start = this.at + 1;
    let depth = 0;
    for (let at = this.at; at < this.text.length; at += 1) {
      const sign = this.text.charAt(at);
      if (sign === '\\') at += 1;
      else if (sign === open) depth += 1;
      else if (sign === close) depth -= 1;
      if (depth > 0 || sign === '\\') continue;
      this.at = at + 1;
      return this.text.slice(start, at);
    }
    this.at = this.text.length;
    return this.text.slice(start);
  }
}

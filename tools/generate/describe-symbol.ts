import ts from 'typescript';

/** What the source says of one export. */
export interface Described {
  readonly name: string;
  readonly meaning: string;
  /** How it is declared; empty where its members say it. */
  readonly signature: string;
  readonly members: readonly { readonly name: string; readonly type: string; readonly meaning: string }[];
}

/** An export as its declaration and comments describe it. */
export function describeSymbol(name: string, symbol: ts.Symbol, checker: ts.TypeChecker): Described {
  const declaration = symbol.declarations?.[0];
  if (declaration === undefined) throw new Error(`${name} has no declaration.`);
  return {
    name,
    meaning: meaningOf(symbol, checker),
    signature: signatureOf(declaration, symbol, checker),
    members: membersOf(declaration)
      .filter((member) => !isHidden(member))
      .map((member) => describeMember(member, checker)),
  };
}

type Member = ts.TypeElement | ts.ClassElement | ts.EnumMember;

function membersOf(declaration: ts.Declaration): readonly Member[] {
  if (ts.isInterfaceDeclaration(declaration) || ts.isEnumDeclaration(declaration))
    return [...declaration.members];
  if (ts.isClassDeclaration(declaration)) return withoutOverloaded(declaration.members);
  if (ts.isTypeAliasDeclaration(declaration) && ts.isTypeLiteralNode(declaration.type))
    return [...declaration.type.members];
  return [];
}

/** The constructor behind overloads is for nobody to call. */
function withoutOverloaded(members: readonly ts.ClassElement[]): readonly ts.ClassElement[] {
  const constructors = members.filter(ts.isConstructorDeclaration);
  const isOverloaded = constructors.some(({ body }) => body === undefined);
  return members.filter(
    (member) => !(isOverloaded && ts.isConstructorDeclaration(member) && member.body !== undefined),
  );
}

const isHidden = (member: Member): boolean =>
  (member.name !== undefined && ts.isPrivateIdentifier(member.name)) ||
  (ts.canHaveModifiers(member) &&
    (ts.getModifiers(member) ?? []).some(
      ({ kind }) => kind === ts.SyntaxKind.PrivateKeyword || kind === ts.SyntaxKind.ProtectedKeyword,
    ));

function describeMember(member: Member, checker: ts.TypeChecker): Described['members'][number] {
  const symbol = member.name === undefined ? undefined : checker.getSymbolAtLocation(member.name);
  const isOptional = 'questionToken' in member && member.questionToken !== undefined;
  const name = ts.isConstructorDeclaration(member) ? 'constructor' : (member.name?.getText() ?? '');
  return {
    name: `${name}${isOptional ? '?' : ''}`,
    type: typeOf(member, checker),
    meaning: symbol === undefined ? '' : meaningOf(symbol, checker),
  };
}

function typeOf(member: Member, checker: ts.TypeChecker): string {
  if (ts.isEnumMember(member)) return member.initializer?.getText() ?? '';
  if (ts.isMethodSignature(member) || ts.isMethodDeclaration(member) || ts.isConstructorDeclaration(member)) {
    const parameters = member.parameters.map((parameter) => parameter.getText()).join(', ');
    return member.type === undefined ? `(${parameters})` : `(${parameters}) => ${member.type.getText()}`;
  }
  if ('type' in member && member.type !== undefined) return (member.type as ts.TypeNode).getText();
  return checker.typeToString(checker.getTypeAtLocation(member), member, ts.TypeFormatFlags.NoTruncation);
}

/** The declaration without its body and without what the table of members holds. */
function signatureOf(declaration: ts.Declaration, symbol: ts.Symbol, checker: ts.TypeChecker): string {
  if (ts.isFunctionDeclaration(declaration)) {
    const overloads = (symbol.declarations ?? []).filter(ts.isFunctionDeclaration);
    const shown = overloads.length > 1 ? overloads.filter(({ body }) => body === undefined) : overloads;
    return shown.map(functionHead).join('\n');
  }
  if (ts.isVariableDeclaration(declaration)) {
    const type =
      declaration.type?.getText() ??
      checker.typeToString(
        checker.getTypeAtLocation(declaration),
        declaration,
        ts.TypeFormatFlags.NoTruncation,
      );
    return `const ${declaration.name.getText()}: ${type}`;
  }
  if (ts.isTypeAliasDeclaration(declaration))
    return ts.isTypeLiteralNode(declaration.type) ? '' : withoutExport(declaration.getText());
  if (ts.isInterfaceDeclaration(declaration) || ts.isClassDeclaration(declaration)) {
    const inherited = (declaration.heritageClauses ?? []).map((clause) => clause.getText()).join(' ');
    const kind = ts.isClassDeclaration(declaration) ? 'class' : 'interface';
    const parameters = (declaration.typeParameters ?? []).map((parameter) => parameter.getText()).join(', ');
    if (inherited === '' && parameters === '' && kind === 'interface') return '';
    return `${kind} ${declaration.name?.getText() ?? ''}${parameters && `<${parameters}>`} ${inherited}`.trim();
  }
  return '';
}

function functionHead(declaration: ts.FunctionDeclaration): string {
  const end = declaration.body?.getStart() ?? declaration.getEnd();
  const text = declaration.getSourceFile().text.slice(declaration.getStart(), end);
  return withoutExport(text.trim().replace(/;$/, ''));
}

const withoutExport = (text: string): string => text.replace(/^export (?:async )?(?:declare )?/, '');

/** The comment, and the default that it states. */
function meaningOf(symbol: ts.Symbol, checker: ts.TypeChecker): string {
  // Examples in comments are parts of programs; samples marked `ts` are whole ones.
  const text = ts
    .displayPartsToString(symbol.getDocumentationComment(checker))
    .replaceAll(/^```ts$/gm, '```typescript');
  const fallback = symbol
    .getJsDocTags(checker)
    .find(({ name }) => name === 'default')
    ?.text?.map((part) => part.text)
    .join('');
  return [text, fallback === undefined ? '' : `Default: ${fallback}.`]
    .filter((part) => part !== '')
    .join(' ');
}

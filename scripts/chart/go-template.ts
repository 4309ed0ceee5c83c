/**
 * As much of Go's text/template as our chart uses, so that plain manifests and the test of the chart need no Helm. What it does not know is an error and
 * never text: a template that passes here says nothing that Helm reads otherwise.
 */
export type Value = unknown;
export type Functions = Record<string, (...args: Value[]) => Value>;

interface Scope {
  dot: Value;
  variables: Map<string, Value>;
}
type Node =
  | { kind: 'text'; text: string }
  | { kind: 'output'; source: string }
  | { kind: 'set'; name: string; source: string }
  | { kind: 'if'; branches: { source: string | undefined; body: Node[] }[] }
  | { kind: 'range'; names: string[]; source: string; body: Node[] }
  | { kind: 'define'; name: string; body: Node[] };

const ACTION = /\{\{(-\s)?\s*([\s\S]*?)\s*(\s-)?\}\}/g;
const RANGE = /^range\s+(?:(\$\w+)(?:\s*,\s*(\$\w+))?\s*:=\s*)?(.+)$/s;

/** The templates of one chart, which may include one another's definitions. */
export class Templates {
  readonly #files = new Map<string, Node[]>();
  readonly #definitions = new Map<string, Node[]>();
  readonly #functions: Functions;

  constructor(files: Record<string, string>, functions: Functions) {
    this.#functions = { ...functions, include: (name, dot) => this.#include(String(name), dot) };
    for (const [name, text] of Object.entries(files)) {
      const nodes = parse(name, text);
      for (const node of nodes) if (node.kind === 'define') this.#definitions.set(node.name, node.body);
      this.#files.set(name, nodes);
    }
  }

  get names(): string[] {
    return [...this.#files.keys()];
  }

  render(file: string, dot: Value): string {
    const nodes = this.#files.get(file);
    if (!nodes) throw new Error(`There is no template ${file}`);
    return this.#run(nodes, { dot, variables: new Map([['$', dot]]) });
  }

  #include(name: string, dot: Value): string {
    const body = this.#definitions.get(name);
    if (!body) throw new Error(`Nothing is defined as ${name}`);
    return this.#run(body, { dot, variables: new Map([['$', dot]]) });
  }

  #run(nodes: Node[], scope: Scope): string {
    let text = '';
    for (const node of nodes) {
      if (node.kind === 'text') text += node.text;
      else if (node.kind === 'output') text += asText(this.#evaluate(node.source, scope));
      else if (node.kind === 'set') scope.variables.set(node.name, this.#evaluate(node.source, scope));
      else if (node.kind === 'if') {
        const chosen = node.branches.find(
          ({ source }) => source === undefined || isTrue(this.#evaluate(source, scope)),
        );
        if (chosen) text += this.#run(chosen.body, { ...scope, variables: new Map(scope.variables) });
      } else if (node.kind === 'range') text += this.#range(node, scope);
    }
    return text;
  }

  #range({ names, source, body }: Extract<Node, { kind: 'range' }>, scope: Scope): string {
    const over = this.#evaluate(source, scope);
    const entries: [Value, Value][] = Array.isArray(over)
      ? over.map((each, index) => [index, each])
      : // Go walks a map in the order of its keys.
        Object.entries((over ?? {}) as object).sort(([a], [b]) => (a < b ? -1 : 1));
    const rendered = entries.map(([key, dot]) => {
      const variables = new Map(scope.variables);
      if (names.length === 1) variables.set(names[0] as string, dot);
      else for (const [at, name] of names.entries()) variables.set(name, at === 0 ? key : dot);
      return this.#run(body, { dot, variables });
    });
    return rendered.join('');
  }

  #evaluate(source: string, scope: Scope): Value {
    const words = wordsOf(source);
    const value = this.#pipeline(words, scope);
    if (words.length > 0) throw new Error(`${source}: ${words[0]} is too much`);
    return value;
  }

  #pipeline(words: string[], scope: Scope): Value {
    let value = this.#command(words, scope, []);
    while (words[0] === '|') {
      words.shift();
      value = this.#command(words, scope, [value]);
    }
    return value;
  }

  /** A value alone, or a function with what follows it; what came through the pipe is its last argument. */
  #command(words: string[], scope: Scope, piped: Value[]): Value {
    const first = words[0];
    if (first === undefined) throw new Error('An action says nothing');
    if (!/^[a-z]\w*$/i.test(first) || ['true', 'false', 'nil'].includes(first)) {
      if (piped.length > 0) throw new Error(`${first} is no function`);
      return this.#term(words, scope);
    }
    words.shift();
    const call = this.#functions[first];
    if (!call) throw new Error(`The function ${first} is not known to scripts/chart; Helm may know it`);
    const args: Value[] = [];
    while (words.length > 0 && words[0] !== '|' && words[0] !== ')') args.push(this.#term(words, scope));
    return call(...args, ...piped);
  }

  #term(words: string[], scope: Scope): Value {
    const word = words.shift() as string;
    if (word === '(') {
      const value = this.#pipeline(words, scope);
      if (words.shift() !== ')') throw new Error('A ( has no )');
      return value;
    }
    if (word.startsWith('"')) return JSON.parse(word);
    if (/^-?\d+$/.test(word)) return Number(word);
    if (word === 'true' || word === 'false') return word === 'true';
    if (word === 'nil') return undefined;
    const [, variable, path] = /^(\$\w*)?((?:\.\w+)*|\.)$/.exec(word) ?? [];
    if (path === undefined) throw new Error(`${word} is no value`);
    if (variable && !scope.variables.has(variable)) throw new Error(`${variable} is not set`);
    const start = variable ? scope.variables.get(variable) : scope.dot;
    return path.split('.').reduce((value, key) => (key === '' ? value : fieldOf(value, key)), start);
  }
}

function fieldOf(value: Value, key: string): Value {
  if (value === undefined || value === null) throw new Error(`.${key} is asked of nothing`);
  return (value as Record<string, Value>)[key];
}

export function isTrue(value: Value): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);
}

function asText(value: Value): string {
  if (value === undefined || value === null || typeof value === 'object')
    throw new Error('This can not be written as it is; say toYaml');
  return String(value);
}

function wordsOf(source: string): string[] {
  const words = source.match(/"(?:[^"\\]|\\.)*"|[()|]|[^\s()|"]+/g) ?? [];
  return [...words];
}

function parse(file: string, text: string): Node[] {
  const root: Node[] = [];
  const open: { body: Node[]; node: Node | undefined }[] = [{ body: root, node: undefined }];
  const here = () => open.at(-1) as (typeof open)[number];
  let from = 0;
  let trim = false;
  const addText = (piece: string, trimEnd: boolean) => {
    const shown = (trim ? piece.trimStart() : piece).slice(0);
    const written = trimEnd ? shown.trimEnd() : shown;
    if (written !== '') here().body.push({ kind: 'text', text: written });
  };
  for (const found of text.matchAll(ACTION)) {
    addText(text.slice(from, found.index), found[1] !== undefined);
    from = found.index + found[0].length;
    trim = found[3] !== undefined;
    act(found[2] as string);
  }
  addText(text.slice(from), false);
  if (open.length > 1) throw new Error(`${file}: something is not ended`);
  return root;

  function act(source: string): void {
    const [word = ''] = source.split(/\s/, 1);
    const rest = source.slice(word.length).trim();
    const begin = (node: Node, body: Node[]) => {
      here().body.push(node);
      open.push({ body, node });
    };
    if (source.startsWith('/*')) return;
    if (word === 'if') {
      const branch = { source: rest, body: [] as Node[] };
      begin({ kind: 'if', branches: [branch] }, branch.body);
    } else if (word === 'else') {
      const { node } = here();
      if (node?.kind !== 'if') throw new Error(`${file}: an else without its if`);
      const branch = { source: rest === '' ? undefined : rest.replace(/^if\s+/, ''), body: [] as Node[] };
      node.branches.push(branch);
      here().body = branch.body;
    } else if (word === 'range') {
      const [, first, second, over] = RANGE.exec(source) ?? [];
      const body: Node[] = [];
      const names = [first, second].filter((name) => name !== undefined);
      begin({ kind: 'range', names, source: over as string, body }, body);
    } else if (word === 'define') {
      const body: Node[] = [];
      begin({ kind: 'define', name: JSON.parse(rest), body }, body);
    } else if (word === 'end') {
      if (open.length === 1) throw new Error(`${file}: an end too many`);
      open.pop();
    } else if (/^\$\w+$/.test(word) && rest.startsWith(':=')) {
      here().body.push({ kind: 'set', name: word, source: rest.slice(2) });
    } else here().body.push({ kind: 'output', source });
  }
}

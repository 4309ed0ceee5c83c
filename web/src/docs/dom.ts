/** An element with attributes and what is in it. Text stays text. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Record<string, string> = {},
  ...inner: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...inner);
  return element;
}

export function all<Kind extends HTMLElement = HTMLElement>(selector: string, within: ParentNode = document): Kind[] {
  return [...within.querySelectorAll<Kind>(selector)];
}

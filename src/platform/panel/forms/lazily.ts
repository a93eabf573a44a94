/**
 * What is made when somebody first asks for it: the forms of two hundred pages, each with the compiled checks of its
 * fields, would hold 12 MB in a server that nobody opens the panel of.
 */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

// Files that import one another, directly or in a circle: what depends on what is then told by no reading order.
import { posix } from 'node:path';
import { importsOf, type Rule, type SourceFile } from './source-tree.ts';

/** No file of the program imports itself by way of others, types included. */
export const importsRunInNoCircle: Rule = (tree) => {
  const targets = new Map(
    tree.filter(({ file }) => file.startsWith('src/')).map((file) => [file.file, targetsOf(file)]),
  );
  const state = new Map<string, 'open' | 'done'>();
  const circles: string[] = [];
  const walk = (file: string, path: readonly string[]): void => {
    state.set(file, 'open');
    for (const target of targets.get(file) ?? []) {
      if (state.get(target) === 'open') {
        const circle = [...path.slice(path.indexOf(target)), target];
        circles.push(`${file}: imports in a circle: ${circle.join(' > ')}`);
      } else if (targets.has(target) && !state.has(target)) {
        walk(target, [...path, target]);
      }
    }
    state.set(file, 'done');
  };
  for (const file of targets.keys()) if (!state.has(file)) walk(file, [file]);
  return circles;
};

const targetsOf = (file: SourceFile): string[] =>
  importsOf(file).flatMap(({ specifier }) => {
    if (specifier?.startsWith('#')) return [`src/${specifier.slice(1)}`];
    return specifier?.startsWith('.') ? [posix.join(posix.dirname(file.file), specifier)] : [];
  });

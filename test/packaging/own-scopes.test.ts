// bin/own-scopes.ts moves what belongs to one module of the bundle into its function, and the program stays the same.
import { Script } from 'node:vm';
import { parse } from 'acorn';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { withOwnScopes } from '../../bin/own-scopes.ts';

/** @param modules text by name; what `main` exports by default is shown */
async function bundle(modules: Record<string, string>): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: "import('program').then((it) => shown(it.default));", loader: 'js' },
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'node',
    minifyWhitespace: true,
    plugins: [
      {
        name: 'modules',
        setup(bundler) {
          bundler.onResolve({ filter: /^\w+$/ }, ({ path }) => ({ path, namespace: 'module' }));
          bundler.onLoad({ filter: /.*/, namespace: 'module' }, ({ path }) => ({
            contents: modules[path] ?? "import main from 'main'; export default main;",
            loader: 'js',
          }));
        },
      },
    ],
  });
  return outputFiles[0]?.text ?? '';
}

/** What `main` exports by default. */
const resultOf = (text: string): Promise<unknown> =>
  new Promise((shown) => {
    const run = new Script(`(function (shown) {${text}\n})`).runInThisContext() as (shown: unknown) => void;
    run(shown);
  });

/** Functions that stand outside of all modules. */
const loose = (text: string): string[] =>
  parse(text, { ecmaVersion: 'latest' }).body.flatMap((one) =>
    one.type === 'FunctionDeclaration' ? [one.id.name] : [],
  );

async function expectSame(modules: Record<string, string>, expected: unknown): Promise<string> {
  const text = await bundle(modules);
  const scoped = withOwnScopes(text);
  expect(await resultOf(text)).toEqual(expected);
  expect(await resultOf(scoped)).toEqual(expected);
  return scoped;
}

test('functions keep their names and calls, and each module has those that only it uses', async () => {
  const scoped = await expectSame(
    {
      main: `import { twice, later, each } from 'sums';
        export default [twice(4), namesOf([later, twice]), ...each(2)];
        function namesOf(functions) { return functions.map(({ name }) => name).join(' '); }`,
      sums: `const factor = 2;
        export function twice(n) { return n === 0 ? 0 : factor + twice(n - 1); }
        export async function later() { return inner(); }
        export function* each(n) { for (let i = 0; i < n; i++) yield inner(); }
        function inner() { return 'inner'; }`,
    },
    [8, 'later twice', 'inner', 'inner'],
  );
  expect(loose(scoped)).toEqual([]);
  expect(scoped).toContain('var twice,later,each;var init_sums');
});

test('modules that import each other can call what the other hoists', async () => {
  await expectSame(
    {
      main: `import { even } from 'even'; export default [even(7), even(8)];`,
      even: `import { odd, atStart } from 'odd';
        export function even(n) { return n === 0 || odd(n - 1); }
        export const seen = atStart;`,
      odd: `import { even } from 'even';
        export function odd(n) { return n !== 0 && even(n - 1); }
        export const atStart = even(2);`,
    },
    [false, true],
  );
});

test('a namespace, a later import and a changed variable stay what they are', async () => {
  await expectSame(
    {
      main: `import * as count from 'count';
        const before = count.value; count.add();
        export default [before, count.value, Object.keys(count), late()];
        async function late() { return (await import('late')).default(); }`,
      count: `export let value = 1; export function add() { value += 1; }`,
      late: `export default function () { return 'late'; }`,
    },
    [1, 2, ['add', 'value'], expect.any(Promise)],
  );
});

test('a function that the program itself calls stays where it is', async () => {
  const text = await bundle({ main: `export default helper(); function helper() { return 1; }` });
  const called = `${text}\nshown(helper());`;
  expect(await resultOf(withOwnScopes(called))).toBe(1);
  expect(loose(withOwnScopes(called))).toContain('helper');
});

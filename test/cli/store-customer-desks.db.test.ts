// Commands about customers of the shop at both desks.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BothDesks, openBothDesks } from '../support/both-desks.ts';

let desks: BothDesks;
beforeAll(async () => {
  desks = await openBothDesks();
});
afterAll(() => desks.close());

/** What a command printed that took some lines and refused others. */
async function partly<T>(desk: Parameters<Parameters<BothDesks['atEach']>[0]>[0], line: string): Promise<T> {
  const { code, stdout } = await desk.run(`${line} --json --yes`);
  expect([line, code]).toEqual([line, 7]);
  return JSON.parse(stdout) as T;
}

test('a customer is added, found by address and id, disabled and enabled', () =>
  desks.atEach(async (desk) => {
    const email = `cli-${desk.tag}@x.test`;
    const made = await desk.answer<{ id: string }>(`store customer create --email ${email} --first-name Ann`);
    expect(made).toMatchObject({ email, first_name: 'Ann', has_account: true });
    expect(await desk.answer(`store customer show ${made.id}`)).toMatchObject({ email });
    expect(await desk.failure(`store customer create --email ${email}`)).toMatchObject({ exit: 5 });
    const found = await desk.answer<{ items: { id: string }[] }>(
      `store customer list --accounts --q ${email}`,
    );
    expect(found.items.map(({ id }) => id)).toEqual([made.id]);
    expect(
      await desk.answer<{ items: unknown[] }>(`store customer list --guests --q ${email}`),
    ).toMatchObject({
      items: [],
    });
    expect(await desk.failure(`store customer disable ${email}`)).toMatchObject({ exit: 10 });
    expect(await desk.answer(`store customer disable ${email} --reason Test --yes`)).toMatchObject({
      status: 'disabled',
    });
    expect(await desk.answer(`store customer enable ${email}`)).toMatchObject({ status: 'active' });
    expect(await desk.failure('store customer show nobody@x.test')).toMatchObject({
      exit: 3,
      hint: expect.stringMatching(/store customer list$/),
    });
  }));

test('two customers become one', () =>
  desks.atEach(async (desk) => {
    const [a, b] = [`left-${desk.tag}@x.test`, `gone-${desk.tag}@x.test`];
    await desk.answer(`store customer create --email ${a}`);
    const source = await desk.answer<{ id: string }>(`store customer create --email ${b} --phone 123`);
    expect(await desk.answer(`store customer merge ${a} ${b} --yes --confirm ${b}`)).toMatchObject({
      email: a,
      phone: '123',
    });
    expect(await desk.answer(`store customer show ${source.id}`)).toMatchObject({ status: 'anonymised' });
  }));

test('a file is tried, imported, and what is wrong is named by its line', () =>
  desks.atEach(async (desk) => {
    const file = join(desks.cwd, `${desk.tag}.csv`);
    const email = `import-${desk.tag}@x.test`;
    writeFileSync(file, `Email,First name,tags\n${email},Eve,"a, b"\nnobody,X,\n${email},Twice,\n`);
    const tried = await partly<object>(desk, `store customer import ${file} --dry-run`);
    expect(tried).toMatchObject({ created: 1, failed: 2 });
    expect(await desk.failure(`store customer show ${email}`)).toMatchObject({ exit: 3 });
    const done = await partly<{ errors: { line: number }[] }>(desk, `store customer import ${file}`);
    expect(done).toMatchObject({ lines: 3, created: 1, failed: 2 });
    expect(done.errors.map(({ line }) => line)).toEqual([3, 4]);
    expect(await desk.answer(`store customer show ${email}`)).toMatchObject({ tags: ['a', 'b'] });
    writeFileSync(file, 'email,shoe_size\na@x.test,44\n');
    expect((await desk.failure(`store customer import ${file}`)).exit).toBe(2);
  }));

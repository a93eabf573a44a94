import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listAssets, packaged, readAsset, readTemplate } from '#kernel/assets.ts';
import { buildInfo } from '#kernel/build-info.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

let overrides: string;
beforeEach(() => {
  overrides = scratchFolder('appctl-templates-');
});
afterEach(() => rmSync(overrides, { recursive: true, force: true }));

test('shipped files are read and listed by their path', () => {
  expect(packaged).toBe(false);
  expect(JSON.parse(readAsset('package.json').toString())).toMatchObject({ name: 'appctl' });
  expect(listAssets('bin/runtime')).toEqual(['bin/runtime/appctl.js', 'bin/runtime/package.json']);
  expect(listAssets('bin/runtime/')).toEqual(listAssets('bin/runtime'));
  expect(listAssets('no-such-folder')).toEqual([]);
  expect(() => readAsset('no-such-file')).toThrow('no file no-such-file ships with this program');
});

test('the operator replaces single templates by files of the same path', () => {
  mkdirSync(join(overrides, 'mail'));
  writeFileSync(join(overrides, 'mail', 'greeting.ejs'), 'ours');
  expect(readTemplate('mail/greeting.ejs', overrides).toString()).toBe('ours');
  expect(() => readTemplate('mail/greeting.ejs')).toThrow('templates/mail/greeting.ejs');
  expect(() => readTemplate('mail/other.ejs', overrides)).toThrow('templates/mail/other.ejs');
  expect(() => readTemplate('mail/greeting.ejs/below', overrides)).toThrow('templates/mail');
});

test.each(['../package.json', 'mail/../../package.json', '..\\package.json', '/etc/passwd', 'mail\0.ejs'])(
  'a template cannot be %j',
  (name) => expect(() => readTemplate(name, overrides)).toThrow('is not a path below the shipped files'),
);

test('the source names its version and no build', () => {
  expect(buildInfo()).toEqual({
    version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    commit: null,
    builtAt: null,
  });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { keyOfOneMachine, siteOf } from './page-in-chromium.ts';
import { prepared, testPage } from './run-page.ts';

const site = await siteOf();

testPage('license-a-web-page', {
  serve: [],
  after: prepared,
  around: { after: keyOfOneMachine },
  instead: async () => site.instead,
  visit: (cwd) =>
    site.look(cwd, async (context) => {
      const key = readFileSync(join(cwd, 'key.txt'), 'utf8').trim();
      const [one, other] = [await context.newPage(), await context.newPage()];
      for (const tab of [one, other]) {
        await tab.goto(site.origin);
        await tab.getByText('No license key has been entered').waitFor();
      }
      await one.getByLabel('License key').fill('APP-0000-0000-0000');
      await one.getByRole('button').click();
      await one.getByText(/License (not found|key format is not valid)/).waitFor();
      await one.getByLabel('License key').fill(key);
      await one.getByRole('button').click();
      await one.getByText('Unlocked').waitFor();
      expect(await one.locator('#enter').isHidden()).toBe(true);
      // The license allows one machine: both tabs are it.
      await other.reload();
      await other.getByText('Unlocked').waitFor();
    }),
});

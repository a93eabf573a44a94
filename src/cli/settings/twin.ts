import type { SettingView } from '#platform/settings/view.ts';
import { at, type Desk } from '../desk/desk.ts';
import { withDesk } from '../desk/open.ts';
import type { Cli } from '../frame/context.ts';

/** Opens the desk of a command about settings. Throws as withDesk does. */
export const withSettings = <T>(cli: Cli, work: (desk: Desk) => Promise<T>): Promise<T> =>
  withDesk(cli, async () => (await import('#platform/settings/admin-endpoints.ts')).settingsEndpoints, work);

/** Reads a setting, its secret masked. */
export const settingOf = async (desk: Desk, key: string): Promise<SettingView> =>
  (await desk.get<{ setting: SettingView }>(at`settings/${key}`)).setting;

import { join } from 'node:path';
import type { ListenAddress } from './listen.ts';
import type { ConfigEntry, ConfigValues } from './resolve.ts';
import { mailFolderOf } from './written-forms.ts';

/** The configuration of one process. Paths are absolute; `undefined` means not set. */
export interface Config {
  readonly dataDir: string;
  readonly listen: readonly ListenAddress[];
  /** Origin without a trailing slash. */
  readonly baseUrl: string;
  /** False: baseUrl was derived from the first listen address, and port 0 in it is not the real one. */
  readonly baseUrlIsSet: boolean;
  readonly insecureHttp: boolean;
  readonly mode: 'production' | 'development';
  /** Where the address of the database comes from, so that it can be named again without its password. */
  readonly databaseGiven: Pick<ConfigEntry, 'source' | 'name'>;
  readonly database: {
    /** `sqlite:/absolute/path`, `sqlite::memory:` or a postgres URL with its password. */
    readonly url: string;
    readonly pool: number;
    readonly busyTimeoutMs: number;
  };
  readonly autoMigrate: 'yes' | 'no' | 'backup';
  /** Secret, as given; undefined: the key file decides. */
  readonly masterKey: string | undefined;
  /** Where the master key is kept, and made, when none is configured. */
  readonly masterKeyFile: string;
  readonly tls: TlsConfig | undefined;
  /** Where plain HTTP is answered with a redirect to `baseUrl`. */
  readonly redirectListen: readonly ListenAddress[];
  /** In the form that express takes as `trust proxy`: nobody, a hop count, or address ranges. */
  readonly proxyTrust: false | number | readonly string[];
  readonly workers: number;
  readonly log: {
    readonly level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
    readonly format: 'auto' | 'json' | 'pretty';
    readonly file: string | undefined;
  };
  readonly http: {
    readonly uploadLimitBytes: number;
    readonly imageLimitBytes: number;
    readonly shutdownGraceSeconds: number;
  };
  readonly rateLimit: { readonly enabled: boolean; readonly store: 'memory' | 'postgres' };
  readonly serviceName: string;
  readonly storage: {
    readonly url: string;
    readonly s3AccessKeyId: string | undefined;
    readonly s3SecretAccessKey: string | undefined;
    readonly bundlesDir: string;
    readonly mediaDir: string;
  };
  readonly backup: {
    /** Absolute path of a folder, or `s3://…`. */
    readonly dir: string;
    /** Cron expression; null: none is made by itself. */
    readonly schedule: string | null;
    readonly keep: { readonly daily: number; readonly weekly: number; readonly monthly: number };
    /** Whether each change is shipped there at once. */
    readonly stream: boolean;
    readonly encryptTo: readonly string[];
    readonly passphrase: string | undefined;
    readonly s3AccessKeyId: string | undefined;
    readonly s3SecretAccessKey: string | undefined;
  };
  /** Where newer versions of the program come from. */
  readonly update: {
    readonly url: string | undefined;
    /** Public keys as they were given. */
    readonly pubkeys: readonly string[];
    readonly channel: 'stable' | 'rc' | 'beta' | 'alpha' | 'nightly';
    readonly licenseKey: string | undefined;
  };
  readonly jobs: { readonly enabled: boolean; readonly timeZone: string };
  readonly metrics: { readonly enabled: boolean; readonly token: string | undefined };
  /** Folder that takes mails as files where no mail server is named: of `mail.url`, or that of a program that is tried. */
  readonly mailFolder: string | undefined;
  readonly templatesDir: string | undefined;
  /** Languages and texts of the operator's own. */
  readonly localeDir: string | undefined;
  /** Files of the operator that run before and after changes; it need not exist. */
  readonly hooksDir: string;
  /** Font file of documents for letters that the built-in one does not have. */
  readonly documentFont: string | undefined;
  /** Addresses in place of the APIs of payment processors, by the id of the processor; for tests. */
  readonly processorUrls: ReadonlyMap<string, string>;
  readonly features: { readonly license: boolean; readonly store: boolean };
  readonly server: string | undefined;
  /** Name of a saved login. */
  readonly profile: string | undefined;
  readonly apiKey: string | undefined;
  readonly keyPassphrase: string | undefined;
  readonly tenant: string;
  /** Runtime settings that this configuration fixes, by the key of the setting. */
  readonly settingPins: SettingPins;
}

/** Where the certificate is. */
export interface TlsConfig {
  readonly certFile: string;
  readonly keyFile: string;
  /** A certificate authority issues it; both files are then one that the program writes. */
  readonly acme?: AcmeConfig;
}

/** How a certificate authority is asked for a certificate (RFC 8555). */
export interface AcmeConfig {
  readonly isOn: boolean;
  /** The one name in it: the host of `baseUrl`. */
  readonly name: string;
  readonly directory: string;
  /** Whose terms of service the operator agrees to; no server starts without. */
  readonly agreedTo: string | undefined;
  readonly email: string | undefined;
}

/** A runtime setting that cannot be changed while the server runs. */
export interface SettingPin {
  /** The value as an operator writes it. */
  readonly text: string;
  /** The variable that fixes it, or the key and its config file. */
  readonly by: string;
}

export type SettingPins = ReadonlyMap<string, SettingPin>;

/** Payment processors whose API has an address, in `processors.<id>.url`. */
export const PROCESSORS = ['stripe', 'square', 'paypal'] as const;

/** What of the configuration depends on where values come from. */
export type Given = Pick<Config, 'baseUrlIsSet' | 'databaseGiven'>;

/** Builds the typed configuration out of parsed values, once every key resolved without a problem. */
export function buildConfig(values: ConfigValues, given: Given, settingPins: SettingPins): Config {
  const dataDir = values.get('data_dir');
  return {
    dataDir,
    ...given,
    ...processPart(values),
    masterKey: values.get('secret.master_key'),
    masterKeyFile: join(dataDir, 'master.key'),
    mailFolder:
      mailFolderOf(values.get('mail.url')) ??
      (values.get('mode') === 'development' ? join(dataDir, 'mail') : undefined),
    ...servicePart(values),
    server: values.get('server'),
    profile: values.get('profile'),
    apiKey: values.get('api_key'),
    keyPassphrase: values.get('key_passphrase'),
    tenant: values.get('tenant'),
    settingPins,
  };
}

function processPart(values: ConfigValues) {
  return {
    listen: values.get('listen'),
    baseUrl: values.get('base_url'),
    insecureHttp: values.get('insecure_http'),
    mode: values.get('mode'),
    database: {
      url: values.get('database.url'),
      pool: values.get('database.pool'),
      busyTimeoutMs: values.get('database.busy_timeout_ms'),
    },
    autoMigrate: values.get('auto_migrate'),
    tls: tlsPart(values),
    redirectListen: values.get('tls.redirect_listen') ?? [],
    proxyTrust: values.get('proxy.trust'),
    workers: values.get('workers'),
    log: { level: values.get('log.level'), format: values.get('log.format'), file: values.get('log.file') },
    http: {
      uploadLimitBytes: values.get('http.upload_limit'),
      imageLimitBytes: values.get('http.image_limit'),
      shutdownGraceSeconds: values.get('http.shutdown_grace_s'),
    },
    rateLimit: { enabled: values.get('rate_limit.enabled'), store: values.get('rate_limit.store') },
    serviceName: values.get('service_name'),
  };
}

function tlsPart(values: ConfigValues): TlsConfig | undefined {
  const acme = values.get('tls.acme') ? acmePart(values) : undefined;
  const issued = acme && join(values.get('data_dir'), 'acme', `${acme.name}.pem`);
  const certFile = values.get('tls.cert') ?? issued;
  const keyFile = values.get('tls.key') ?? issued;
  if (certFile === undefined || keyFile === undefined) return undefined;
  return { certFile, keyFile, ...(acme && { acme }) };
}

const acmePart = (values: ConfigValues): AcmeConfig => ({
  isOn: values.get('tls.acme'),
  name: values.get('base_url').replace(/^https:\/\/|:\d+$/g, ''),
  directory: values.get('tls.acme_directory'),
  agreedTo: values.get('tls.acme_agree_tos'),
  email: values.get('tls.acme_email'),
});

function backupPart(values: ConfigValues): Config['backup'] {
  const schedule = values.get('backup.schedule');
  return {
    dir: values.get('backup.dir'),
    schedule: schedule === 'off' ? null : schedule,
    keep: values.get('backup.keep'),
    stream: values.get('backup.stream'),
    encryptTo: listed(values.get('backup.encrypt_to')),
    // Empty is the default that the written file shows, and no passphrase.
    passphrase: values.get('backup.passphrase') || undefined,
    s3AccessKeyId: values.get('backup.s3_access_key_id'),
    s3SecretAccessKey: values.get('backup.s3_secret_access_key'),
  };
}

const listed = (text: string | undefined): string[] =>
  (text?.split(',') ?? []).map((one) => one.trim()).filter((one) => one !== '');

function servicePart(values: ConfigValues) {
  return {
    storage: {
      url: values.get('storage.url'),
      s3AccessKeyId: values.get('storage.s3_access_key_id'),
      s3SecretAccessKey: values.get('storage.s3_secret_access_key'),
      bundlesDir: values.get('storage.bundles_dir'),
      mediaDir: values.get('storage.media_dir'),
    },
    backup: backupPart(values),
    update: {
      url: values.get('update.url'),
      pubkeys: listed(values.get('update.pubkey')),
      channel: values.get('update.channel'),
      licenseKey: values.get('update.license_key'),
    },
    jobs: { enabled: values.get('jobs.enabled'), timeZone: values.get('jobs.timezone') },
    metrics: { enabled: values.get('metrics.enabled'), token: values.get('metrics.token') },
    templatesDir: values.get('templates_dir'),
    localeDir: values.get('locale_dir'),
    hooksDir: values.get('hooks_dir'),
    documentFont: values.get('documents.font_file'),
    processorUrls: new Map(
      PROCESSORS.flatMap((id) => {
        const url = values.get(`processors.${id}.url`);
        return url === undefined ? [] : [[id, url] as const];
      }),
    ),
    features: { license: values.get('features.license'), store: values.get('features.store') },
  };
}

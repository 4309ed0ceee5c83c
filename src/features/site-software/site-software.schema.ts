import { type Static, Type } from 'typebox';
import { failure } from '#core/errors.ts';
import { Nullable, OneOf, say, Timestamp, Uuid } from '#core/http/schema.ts';

const NullableTimestamp = Type.Unsafe<Date | null>({ type: ['string', 'null'], format: 'date-time' });

export const KINDS = ['plugin', 'theme'] as const;
export const ExtensionKind = OneOf(KINDS);
/** What WordPress names a plugin's or a theme's folder. */
export const EXTENSION_NAME = '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$';
export const ExtensionName = Type.String({
  pattern: EXTENSION_NAME,
  description: 'The folder that it is in, which is its name at wordpress.org: akismet',
});

export const Extension = Type.Object(
  {
    kind: ExtensionKind,
    name: Type.String({ description: 'The folder that it is in' }),
    title: Type.String(),
    version: Nullable(Type.String()),
    state: OneOf(['active', 'inactive', 'parent', 'must_use'], {
      description: 'parent: the active theme is made on it. must_use: it is always on, and changed by its files alone',
    }),
    update: Nullable(Type.String({ description: 'The newer version that WordPress is offered' })),
  },
  { title: 'Extension' },
);
export type Extension = Static<typeof Extension>;

const HealthNote = Type.Object({
  level: OneOf(['critical', 'recommended']),
  title: Type.String(),
  text: Type.String(),
});
export type HealthNote = Static<typeof HealthNote>;

const Step = Type.Object({
  kind: OneOf(['plugin', 'theme', 'core', 'php']),
  action: OneOf(['update', 'activate', 'deactivate', 'delete', 'install']),
  name: Type.String({ description: 'Of the plugin or the theme' }),
  title: Type.String(),
  from: Nullable(Type.String({ description: 'The version before' })),
  to: Nullable(Type.String({ description: 'The version that it was to get' })),
  error: Nullable(Type.String({ description: 'Why WordPress did not do it' })),
});
export type Step = Static<typeof Step>;

const LastChange = Type.Object({
  id: Uuid,
  created_at: Timestamp,
  state: OneOf(['running', 'kept', 'taken_back', 'failed']),
  step: Nullable(Type.String({ description: 'What is done right now' })),
  changes: Type.Array(Step),
  checks: Type.Array(
    Type.Object({
      page: Type.String(),
      before: Nullable(Type.Integer({ description: 'What it answered; null where it did not' })),
      after: Nullable(Type.Integer()),
    }),
  ),
  php: Type.Array(Type.String(), { description: 'What PHP said when a page broke' }),
  failure: Nullable(Type.String()),
  undo_point: Type.Unsafe<Date | null>({
    ...NullableTimestamp,
    description: 'The site as it was before, for a restore',
  }),
});
export type LastChange = Static<typeof LastChange>;

export const Software = Type.Object(
  {
    checked_at: Type.Unsafe<Date | null>({
      ...NullableTimestamp,
      description: 'When WordPress was last asked; null before the first time',
    }),
    core_version: Nullable(Type.String({ description: 'Of WordPress' })),
    core_versions: Type.Array(Type.String(), { description: 'Those to choose from, newest first' }),
    core_update: Nullable(Type.String({ description: 'The newest one, where that is newer' })),
    php_version: Nullable(Type.String()),
    php_versions: Type.Array(Type.String(), { description: 'Those that this machine has, newest first' }),
    updates_waiting: Type.Integer(),
    extensions: Type.Array(Extension),
    health: Type.Array(HealthNote, { description: "What WordPress' own Site Health would have mended" }),
    problem: Nullable(Type.String({ description: 'Why it is not known what is newer' })),
    change: Nullable(LastChange),
  },
  { title: 'Software' },
);
export type Software = Static<typeof Software>;

const Names = (what: string) =>
  Type.Optional(say(Type.Array(ExtensionName, { minItems: 1, maxItems: 200, uniqueItems: true }), what));

export const SoftwareUpdate = Type.Object({
  plugins: Names('These plugins'),
  themes: Names('These themes'),
  core_version: Type.Optional(say(Type.String({ maxLength: 40 }), 'A version of core_versions')),
  php_version: Type.Optional(say(Type.String({ maxLength: 40 }), 'A version of php_versions')),
});
export type SoftwareUpdate = Static<typeof SoftwareUpdate>;

export const NewExtension = Type.Object({
  kind: say(ExtensionKind, 'What it is'),
  name: ExtensionName,
  activate: Type.Optional(say(Type.Boolean(), 'Switch it on as well')),
});
export type NewExtension = Static<typeof NewExtension>;

export const ExtensionChange = Type.Object({
  active: say(Type.Boolean(), 'Whether it is on. A theme is left by switching another one on'),
});

export const softwareUnknown = failure(
  'software.unknown',
  409,
  'WordPress has not been asked yet what the site runs; check that first.',
);
export const extensionNotFound = failure('software.not_found', 404, 'The site has no such plugin or theme.');
export const extensionFixed = failure('software.fixed', 409, 'That can not be done to this plugin or theme.');
export const nothingToUpdate = failure('software.nothing', 409, 'Nothing waits for an update.');
export const changeFailed = failure('software.failed', 502, 'The change could not be made.');
export const checkFailed = failure('software.check_failed', 502, 'WordPress could not be asked.');

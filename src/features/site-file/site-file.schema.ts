import { type Static, Type } from 'typebox';
import { failure } from '#core/errors.ts';
import { Moment, Nullable, OfStage, OneOf, say, Timestamp } from '#core/http/schema.ts';

export const fileNotFound = failure('file.not_found', 404, 'There is no such file or folder.');
export const fileExists = failure('file.exists', 409, 'There is something of this name already.');
export const fileChanged = failure('file.changed', 409, 'The file has changed since you read it.');
export const fileDenied = failure('file.denied', 409, 'The permissions of the file or its folder do not allow this.');
export const notAFile = failure('file.not_a_file', 422, 'This is not a file.');
export const tooMuch = failure(
  'file.too_much',
  422,
  'This is too much for one call. Some of it may be done; ask again, or for its folders one by one.',
);

const PATH = {
  maxLength: 2_048,
  description: 'Below wp-content, as in themes/mine/style.css',
  examples: ['themes/mine/style.css'],
};
const Path = Type.String({ ...PATH, minLength: 1 });
const FolderPath = Type.Optional(Type.String({ ...PATH, default: '', description: 'Below wp-content; empty for all' }));

const KINDS = ['file', 'folder', 'link', 'other'] as const;

const entry = {
  name: Type.String(),
  kind: OneOf(KINDS, { description: 'A link is shown and never followed' }),
  size: Type.Integer({ description: 'Bytes of a file' }),
  modified_at: Timestamp,
};
export const SiteFileEntry = Type.Object(entry, { title: 'SiteFileEntry' });
export type SiteFileEntry = Static<typeof SiteFileEntry>;

const version = Nullable(
  Type.String({ description: 'Names the content, for whoever saves the file; null where that is not shown' }),
);

export const SiteFile = Type.Object(
  {
    path: Type.String(),
    ...entry,
    version,
    content: Nullable(Type.String({ description: 'Of a file that is text, and not too large to be edited' })),
    not_shown: Nullable(OneOf(['binary', 'too_large'], { description: 'Why there is no content of the file' })),
    entries: Nullable(Type.Unsafe<SiteFileEntry[]>({ ...Type.Array(SiteFileEntry), description: 'Of a folder' })),
    is_truncated: Type.Boolean({ description: 'The folder has more than is listed' }),
  },
  { title: 'SiteFile' },
);
export type SiteFile = Static<typeof SiteFile>;

const PhpFault = Type.Object(
  { message: Type.String(), line: Nullable(Type.Integer()) },
  { title: 'PhpFault', description: 'What PHP says of a file that it can not read' },
);
export type PhpFault = Static<typeof PhpFault>;

export const ChangedFile = Type.Object(
  {
    path: Type.String(),
    ...entry,
    version,
    syntax_error: Type.Unsafe<PhpFault | null>({
      anyOf: [PhpFault, { type: 'null' }],
      description: 'Of a PHP file that does not parse. It is saved all the same',
    }),
  },
  { title: 'ChangedSiteFile' },
);
export type ChangedFile = Static<typeof ChangedFile>;

export const FileQuery = Type.Object({
  path: FolderPath,
  at: Type.Optional(
    Type.Unsafe<string>({ ...Moment, description: 'The file as the newest backup at or before this has it' }),
  ),
  stage: OfStage,
});
export type FileQuery = Static<typeof FileQuery>;
export const FolderQuery = Type.Object({ path: FolderPath, stage: OfStage });
export const OneFileQuery = Type.Object({ path: Path, stage: OfStage });
export const StageQuery = Type.Object({ stage: OfStage });
export const UploadQuery = Type.Object({
  path: Path,
  replace: Type.Optional(Type.Boolean({ description: 'Whatever file is there. Otherwise there must be none' })),
  stage: OfStage,
});
export type UploadQuery = Static<typeof UploadQuery>;

export const SavedFile = Type.Object({
  path: Path,
  content: say(Type.String(), 'The whole text of the file'),
  version: Type.Optional(
    Type.String({ maxLength: 64, description: 'Of the file as you have read it; left out for a new one' }),
  ),
});
export type SavedFile = Static<typeof SavedFile>;
export const NewFolder = Type.Object({ path: Path });
export const FileMove = Type.Object({ path: Path, new_path: Path });
export type FileMove = Static<typeof FileMove>;

export const FileSearchQuery = Type.Object({
  path: FolderPath,
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Part of a name, whatever its case' })),
  text: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Plain text in files' })),
  stage: OfStage,
});
export type FileSearchQuery = Static<typeof FileSearchQuery>;

const FileMatch = Type.Object(
  {
    path: Type.String(),
    kind: OneOf(KINDS),
    line: Nullable(Type.Integer({ description: 'Where the text is; a file tells its first five lines' })),
    excerpt: Nullable(Type.String()),
  },
  { title: 'SiteFileMatch' },
);
export const FoundFiles = Type.Object(
  {
    matches: Type.Array(FileMatch),
    is_complete: Type.Boolean({ description: 'False where there is more, or more than could be looked at' }),
  },
  { title: 'FoundSiteFiles' },
);
export type FoundFiles = Static<typeof FoundFiles>;

export const HistoryQuery = Type.Object({
  path: Path,
  before: Type.Optional(Type.Unsafe<string>({ ...Moment, description: 'next_before of the answer before' })),
  stage: OfStage,
});
export type HistoryQuery = Static<typeof HistoryQuery>;

const FileVersion = Type.Object(
  {
    at: Type.Unsafe<Date>({ ...Timestamp, description: 'The newest backup that has it so; reads it, as at' }),
    since: Type.Unsafe<Date>({ ...Timestamp, description: 'The first backup in a row that has it so' }),
    exists: Type.Boolean(),
    size: Nullable(Type.Integer()),
    modified_at: Nullable(Timestamp),
    version_id: Nullable(Type.String({ description: 'The same for the same content' })),
  },
  { title: 'SiteFileVersion' },
);
export const FileHistory = Type.Object(
  {
    versions: Type.Array(FileVersion),
    next_before: Nullable(
      Type.Unsafe<Date>({ ...Timestamp, description: 'Asks for what is older; its first version may be our last' }),
    ),
  },
  { title: 'SiteFileHistory' },
);
export type FileHistory = Static<typeof FileHistory>;

import { feature } from '../feature.ts';
import { prepareEditor } from './code-editor.jobs.ts';
import { codeEditorOperations } from './code-editor.routes.ts';
import { editorIsOpen, forgetTickets } from './code-editor.sql.ts';
import { endClosedEditors } from './end-closed.ts';

export const codeEditorFeature = feature({
  name: 'code-editor',
  operations: codeEditorOperations,
  jobs: [prepareEditor],
  parts: [
    {
      name: 'the end of editors that are switched off',
      stage: 'sites',
      roles: ['host'],
      start: (services) => endClosedEditors(services, (siteId) => editorIsOpen(services.db, siteId)),
    },
  ],
  housekeeping: forgetTickets,
});

import type { Db } from '#core/db/database.ts';
import { bodyFault, type Fault } from '#core/errors.ts';
import { planOf } from '#features/team/team.ts';
import { type BackupRow, listBackups } from './backup.sql.ts';

/** The backup that a `restore_point` means: the newest one at or before it. */
export async function chooseBackup(
  db: Db,
  { id, team_id }: { id: string; team_id: string },
  restorePoint: string,
): Promise<{ backup: BackupRow } | { fault: Fault }> {
  const point = new Date(restorePoint);
  const [backup] = await listBackups(db, id, point, 1);
  // Where the clock was set back, there are points after its now.
  if (point.getTime() > Math.max(Date.now(), backup?.created_at.getTime() ?? 0))
    return { fault: bodyFault('restore_point', 'Value error, this is in the future') };
  return backup ? { backup } : { fault: await tooLongAgo(db, team_id) };
}

async function tooLongAgo(db: Db, teamId: string): Promise<Fault> {
  const { name, restore_window_hours: hours } = await planOf(db, teamId);
  const window = hours > 24 ? `${hours / 24} days` : `${hours} hours`;
  const why = `the plan ${name} keeps every minute for ${window}, and a larger plan for longer`;
  return bodyFault('restore_point', `Value error, this is before the oldest backup (min_restore_point); ${why}`);
}

/** A small WordPress as mysqldump writes it. */
export function dumpOf({
  prefix = 'wp_',
  home = 'http://old.example.com',
  extra = '',
  title = 'Old title',
} = {}): string {
  return `-- MySQL dump 10.13  Distrib 8.0.36, for Linux (x86_64)
/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!50503 SET NAMES utf8mb4 */;
/*!40111 SET @OLD_SQL_NOTES=@@SQL_NOTES, SQL_NOTES=0 */;
DROP TABLE IF EXISTS \`${prefix}options\`;
/*!50503 SET character_set_client = utf8mb4 */;
CREATE TABLE \`${prefix}options\` (
  \`option_id\` bigint unsigned NOT NULL AUTO_INCREMENT,
  \`option_name\` varchar(191) COLLATE utf8mb4_unicode_520_ci NOT NULL DEFAULT '',
  \`option_value\` longtext COLLATE utf8mb4_unicode_520_ci NOT NULL,
  \`autoload\` varchar(20) NOT NULL DEFAULT 'yes',
  PRIMARY KEY (\`option_id\`),
  UNIQUE KEY \`option_name\` (\`option_name\`),
  KEY \`autoload\` (\`autoload\`)
) ENGINE=InnoDB AUTO_INCREMENT=400 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;
LOCK TABLES \`${prefix}options\` WRITE;
/*!40000 ALTER TABLE \`${prefix}options\` DISABLE KEYS */;
INSERT INTO \`${prefix}options\` VALUES (1,'siteurl','${home}','yes'),(2,'home','${home}','yes'),(3,'blogname','${title}','yes'),
(4,'admin_email','old@example.com','yes'),(5,'new_admin_email','old@example.com','yes'),(6,'template','twentytwentyfive','yes'),
(7,'stylesheet','twentytwentyfive','yes'),(8,'active_plugins','a:0:{}','yes'),(9,'permalink_structure','/%postname%/','yes'),
(10,'${prefix}user_roles','a:1:{s:13:"administrator";a:2:{s:4:"name";s:13:"Administrator";s:12:"capabilities";a:3:{s:14:"manage_options";b:1;s:4:"read";b:1;s:10:"edit_posts";b:1;}}}','yes'),
(11,'_transient_secret','x','no'),(12,'blogdescription','It\\'s "quoted" \\\\ caf\u00e9 \ud83d\ude00','yes'),(13,'blog_public','1','yes'),(14,'posts_per_page','10','yes'),(15,'site_icon','0','yes'),(16,'db_version','1','yes');
/*!40000 ALTER TABLE \`${prefix}options\` ENABLE KEYS */;
UNLOCK TABLES;
CREATE TABLE \`${prefix}posts\` (
  \`ID\` bigint unsigned NOT NULL AUTO_INCREMENT,
  \`post_author\` bigint unsigned NOT NULL DEFAULT '0',
  \`post_date\` datetime NOT NULL DEFAULT '0000-00-00 00:00:00',
  \`post_content\` longtext NOT NULL,
  \`post_title\` text NOT NULL,
  \`post_excerpt\` text NOT NULL,
  \`to_ping\` text NOT NULL,
  \`pinged\` text NOT NULL,
  \`post_content_filtered\` longtext NOT NULL,
  \`post_name\` varchar(200) NOT NULL DEFAULT '',
  \`post_status\` varchar(20) NOT NULL DEFAULT 'publish',
  \`post_type\` varchar(20) NOT NULL DEFAULT 'post',
  \`guid\` varchar(255) NOT NULL DEFAULT '',
  PRIMARY KEY (\`ID\`)
);
INSERT INTO \`${prefix}posts\` (\`ID\`,\`post_author\`,\`post_date\`,\`post_content\`,\`post_title\`,\`post_excerpt\`,\`to_ping\`,\`pinged\`,\`post_content_filtered\`,\`post_name\`,\`post_status\`,\`post_type\`,\`guid\`) VALUES
(7,3,'2024-01-02 03:04:05','<p>See <a href="${home}/seven/">this</a>; it stays.</p>','A post; of seven','','','','','seven','publish','post','${home}/?p=7');
CREATE TABLE \`${prefix}postmeta\` (\`meta_id\` bigint(20) unsigned NOT NULL AUTO_INCREMENT, \`post_id\` bigint(20) unsigned NOT NULL DEFAULT 0,
  \`meta_key\` varchar(255) DEFAULT NULL, \`meta_value\` longtext, PRIMARY KEY (\`meta_id\`), KEY \`meta_key\` (\`meta_key\`(191)));
INSERT INTO \`${prefix}postmeta\` VALUES (1,7,'_links','a:1:{s:3:"url";s:${Buffer.byteLength(home) + 1}:"${home}/";}'),(2,7,'_edit_lock','1:3'),(3,7,'empty',NULL);
CREATE TABLE \`${prefix}users\` (\`ID\` bigint unsigned NOT NULL AUTO_INCREMENT, \`user_login\` varchar(60) NOT NULL DEFAULT '', \`user_pass\` varchar(255) NOT NULL DEFAULT '',
  \`user_nicename\` varchar(50) NOT NULL DEFAULT '', \`user_email\` varchar(100) NOT NULL DEFAULT '', PRIMARY KEY (\`ID\`));
INSERT INTO \`${prefix}users\` VALUES (3,'mallory','$P$BmallorysHash','mallory','mallory@example.com');
CREATE TABLE \`${prefix}usermeta\` (\`umeta_id\` bigint unsigned NOT NULL AUTO_INCREMENT, \`user_id\` bigint unsigned NOT NULL DEFAULT '0',
  \`meta_key\` varchar(255) DEFAULT NULL, \`meta_value\` longtext, PRIMARY KEY (\`umeta_id\`));
INSERT INTO \`${prefix}usermeta\` VALUES (1,3,'${prefix}capabilities','a:1:{s:13:"administrator";b:1;}'),(2,3,'session_tokens','a:0:{}');
${extra}
-- Dump completed on 2024-06-01 12:00:00
`;
}

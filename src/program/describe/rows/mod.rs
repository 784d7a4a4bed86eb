//! Rows about meshes and surfaces: the values that `ls` prints, and the conditions on them of
//! `--where`, `--fail-if` and `--deny`.

pub mod column;
pub mod filter;
pub mod request;
pub mod row;
pub mod selected;

pub use column::{Cell, ColumnList, ColumnType, MESH_COLUMNS, SURFACE_COLUMNS, TableColumn};
pub use filter::Condition;
pub use request::RowRequest;
pub use row::TableRow;
pub use selected::{MeshCondition, SelectedFiles};

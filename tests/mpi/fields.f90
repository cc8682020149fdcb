! Writes a field by rows, each rank its own, through both Fortran faces:
!     fields NETCDF_PATH WRITER_PATH FOLLOWING_PATH SERVED_PATH
program fields
  use, intrinsic :: iso_c_binding, only: c_double
  use mpi
  use frazil
  use frazil_netcdf
  implicit none
  integer, parameter :: nx = 40, ny = 24, records = 3
  integer :: error, rank, ranks, provided
  character(len=512) :: path

  call mpi_init_thread(mpi_thread_funneled, provided, error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  call mpi_comm_size(mpi_comm_world, ranks, error)
  call get_command_argument(1, path)
  call with_netcdf(trim(path))
  call get_command_argument(2, path)
  call with_writer(trim(path), .true., 0)
  call get_command_argument(3, path)
  call with_writer(trim(path), .false., 0)
  call get_command_argument(4, path)
  call with_writer(trim(path), .true., ranks/2)
  call mpi_finalize(error)

contains

  subroutine check(status)
    integer, intent(in) :: status

    if (status == 0) return
    print *, 'rank', rank, 'status', status, trim(frazil_last_message())
    call mpi_abort(mpi_comm_world, 1, error)
  end subroutine check

  function row(y, record) result(values)
    integer, intent(in) :: y, record
    real :: values(nx)
    integer :: x

    values = [(real(x + 100*y + 10000*record), x=1, nx)]
  end function row

  subroutine with_netcdf(path)
    character(len=*), intent(in) :: path
    integer :: ncid, time, y, x, varid, record

    call check(nf90_create(path, ior(nf90_netcdf4, nf90_mpiio), ncid, comm=mpi_comm_world, info=mpi_info_null))
    call check(nf90_def_dim(ncid, 'x', nx, x))
    call check(nf90_def_dim(ncid, 'y', ny, y))
    call check(nf90_def_dim(ncid, 'time', nf90_unlimited, time))
    call check(nf90_def_var(ncid, 't', nf90_real, [x, y, time], varid, chunksizes=[16, 10, 1], &
                            deflate_level=1, shuffle=.true.))
    call check(nf90_enddef(ncid))
    call check(nf90_var_par_access(ncid, varid, nf90_collective))
    call check(nf90_var_par_access(ncid, varid, nf90_independent))
    do record = 1, records - 1
      call put_rows(ncid, varid, record)
    end do
    call check(nf90_sync(ncid))
    call check(nf90_close(ncid))
    call check(nf90_open(path, ior(nf90_write, nf90_mpiio), ncid, comm=mpi_comm_world, info=mpi_info_null))
    call check(nf90_inq_varid(ncid, 't', varid))
    call put_rows(ncid, varid, records)
    call check(nf90_close(ncid))
    ! Every rank reads for itself, by either access.
    call check(nf90_open(path, nf90_nowrite, ncid, comm=mpi_comm_world, info=mpi_info_null))
    call check(nf90_inq_varid(ncid, 't', varid))
    call check(nf90_var_par_access(ncid, varid, nf90_collective))
    call check_row(ncid, varid)
    call check(nf90_close(ncid))
  end subroutine with_netcdf

  subroutine check_row(ncid, varid)
    integer, intent(in) :: ncid, varid
    real :: found(nx)

    call check(nf90_get_var(ncid, varid, found, start=[1, 1 + rank, records], count=[nx, 1, 1]))
    if (any(found /= row(1 + rank, records))) error stop 'another row was read'
  end subroutine check_row

  subroutine put_rows(ncid, varid, record)
    integer, intent(in) :: ncid, varid, record
    integer :: j

    do j = 1 + rank, ny, ranks
      call check(nf90_put_var(ncid, varid, row(j, record), start=[1, j, record], count=[nx, 1, 1]))
    end do
  end subroutine put_rows

  subroutine with_writer(path, reproducible, io_ranks)
    character(len=*), intent(in) :: path
    logical, intent(in) :: reproducible
    integer, intent(in) :: io_ranks
    logical :: is_io_rank
    type(frazil_writer) :: writer
    integer :: time, y, x, variable, j, record

    call check(frazil_create(path, writer, threads=1, comm=mpi_comm_world, longest_wait=60.0_c_double, &
                             reproducible=reproducible, io_ranks=io_ranks))
    call check(frazil_add_dimension(writer, 'x', nx, x))
    call check(frazil_add_dimension(writer, 'y', ny, y))
    call check(frazil_add_unlimited_dimension(writer, 'time', time))
    call check(frazil_add_variable(writer, 't', frazil_real32, [x, y, time], variable))
    call check(frazil_state_block(writer, variable, start=[1, 1 + rank, 1], count=[nx, 1, 1]))
    call check(frazil_is_io_rank(writer, is_io_rank))
    if (is_io_rank) then
      call check(frazil_close(writer))
      return
    end if
    call check(frazil_end_definitions(writer))
    do record = 1, records
      do j = 1 + rank, ny, ranks - io_ranks
        call check(frazil_put(writer, variable, reshape(row(j, record), [nx, 1, 1]), start=[1, j, record]))
      end do
      call check(frazil_sync(writer))
    end do
    call check(frazil_close(writer))
  end subroutine with_writer

end program fields
